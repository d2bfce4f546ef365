import type { DtmfSpec, MediumSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage, Urgency } from '@calls/api-contract/data-messages/client-messages';
import type { MessageMedium, ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { TokenBucket } from '@calls/foundation/token-bucket';
import type { TurnEvent } from '../turn/turn-types.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallContext } from './call-context.ts';
import { DtmfInput } from './dtmf-input.ts';
import { turnEventOf, type SpokenMessage } from './message-effects.ts';

/** Sender of a data message. */
export type MessageSource = 'client' | 'dataConnection' | 'api';

/**
 * Limit for messages that interrupt the agent and start a generation. People type less; more messages would only add
 * cost.
 */
const URGENT = { burst: 20, perSecond: 1 };
const DTMF_IGNORED = 'dtmf was ignored: only clients that join by WebRTC send keys as messages';

export interface IncomingMessagesOptions {
  context: CallContext;
  agent: AgentSide;
  /** Sends to the sender of the message. */
  reply: (source: MessageSource, message: ServerMessage) => void;
}

/**
 * Handles data messages. A hang-up from the API or the data connection counts as the agent's, one from the
 * client as the user's.
 */
export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;
  readonly #urgent: TokenBucket;
  readonly #keys: DtmfInput | null;
  #closed = false;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
    const { spec, services } = options.context;
    const { clock } = services;
    this.#urgent = new TokenBucket(URGENT, clock.nowMs());
    const dtmf = dtmfOf(spec.medium);
    this.#keys =
      dtmf && new DtmfInput({ text: dtmf.text, clock, onText: (text) => this.#typed(text, dtmf.urgency) });
  }

  /** False after `close`. */
  receive(message: ClientMessage, source: MessageSource): boolean {
    const { agent, reply } = this.#options;
    if (this.#closed) return false;
    switch (message.type) {
      case 'ping':
        reply(source, { type: 'pong', timestamp: message.timestamp });
        break;
      case 'dtmf':
        // Data connections have no user who presses keys.
        if (source !== 'client' || !this.#keys) reply(source, { type: 'debug', message: DTMF_IGNORED });
        else for (const digit of message.digits) this.pressKey(digit);
        break;
      case 'set_output_medium':
        if (this.allows(message.medium)) agent.setOutputMedium(message.medium);
        else this.#refuse(`the call does not allow the agent to respond by ${message.medium}`);
        break;
      case 'client_tool_result':
        agent.tools.settle('client', message);
        break;
      case 'data_connection_tool_result':
        // Clients must not send results on behalf of the customer's server.
        if (source === 'dataConnection') agent.tools.settle('dataConnection', message);
        else agent.tools.reportUnexpected(message);
        break;
      case 'user_text_message':
      case 'input_text_message':
      case 'forced_agent_message':
      case 'hang_up': {
        if ('text' in message && source === 'client' && !this.allows('text')) {
          this.#refuse('the call does not allow text messages of the user');
          break;
        }
        this.#speak(message, source);
      }
    }
    return true;
  }

  /** Handles a DTMF key. */
  pressKey(digit: string): void {
    if (!this.#closed && this.#keys?.press(digit)) this.#options.context.dispatch({ type: 'key_pressed' });
  }

  /** Ignores later messages. Keys of an incomplete message are added to the history. */
  close(): void {
    this.#closed = true;
    const text = this.#keys?.close();
    if (text) this.#typed(text, 'later');
  }

  allows(medium: MessageMedium): boolean {
    return this.#options.context.spec.allowedMediums.includes(medium);
  }

  /** Keys are accepted even if the user may not write. */
  #typed(text: string, urgency: Urgency): void {
    this.#speak({ type: 'user_text_message', text, urgency }, 'client');
  }

  #speak(message: SpokenMessage, source: MessageSource): void {
    const { send, dispatch } = this.#options.context;
    const event = turnEventOf(message, source === 'client' ? 'hangup' : 'agent_hangup');
    if (event.type === 'ignored') send({ type: 'debug', message: event.reason });
    else dispatch(source === 'client' ? this.#rateLimited(event) : event);
  }

  /** Downgrades urgent messages of a client that exceeds the limit to `soon`. */
  #rateLimited(event: TurnEvent): TurnEvent {
    const isUrgent =
      (event.type === 'text_received' && event.urgency === 'immediate') ||
      (event.type === 'words_forced' && event.atOnce);
    if (!isUrgent || this.#urgent.take(this.#options.context.services.clock.nowMs())) return event;
    return event.type === 'text_received' ? { ...event, urgency: 'soon' } : { ...event, atOnce: false };
  }

  #refuse(reason: string): void {
    this.#options.context.callEvents.add(
      'warning',
      'medium_not_allowed',
      `A message was ignored: ${reason} in this call.`,
      null,
    );
  }
}

/** Null if keys are ignored. WebRTC accepts keys without a setting for them. */
function dtmfOf(medium: MediumSpec): DtmfSpec | null {
  if (medium.kind === 'webRtc') return { text: '{digits}', urgency: 'soon' };
  return 'dtmf' in medium ? medium.dtmf : null;
}
