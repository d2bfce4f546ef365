import type { CallSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage, Urgency } from '@calls/api-contract/data-messages/client-messages';
import type { MessageMedium, ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { Allowance } from '@calls/foundation/allowance';
import type { Clock } from '@calls/foundation/clock';
import type { TurnEvent } from '../turn/turn-types.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallEvents } from './call-events.ts';
import { DtmfInput } from './dtmf-input.ts';
import { turnEventOf, type SpokenMessage } from './message-effects.ts';

/** Who sends data messages into a call. */
export type MessageSource = 'client' | 'dataConnection' | 'api';

/** What cuts the agent short and has the engines begin anew: more than a person writes only costs. */
const URGENT = { burst: 20, perSecond: 1 };

export interface IncomingMessagesOptions {
  spec: Pick<CallSpec, 'allowedMediums' | 'medium'>;
  agent: AgentSide;
  notes: CallEvents;
  /** To whoever listens to the call. */
  send: (message: ServerMessage) => void;
  /** To whoever sent a message. */
  reply: (source: MessageSource, message: ServerMessage) => void;
  dispatch: (event: TurnEvent) => void;
  clock: Clock;
}

/** What data messages do in a call. The agent's side hangs up by the API and the data connection, the user by the client. */
export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;
  readonly #urgent: Allowance;
  readonly #keys: DtmfInput | null;
  #closed = false;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
    const { spec, clock } = options;
    this.#urgent = new Allowance(URGENT, clock.nowMs());
    const dtmf = 'dtmf' in spec.medium ? spec.medium.dtmf : null;
    this.#keys =
      dtmf && new DtmfInput({ text: dtmf.text, clock, onText: (text) => this.#typed(text, dtmf.urgency) });
  }

  receive(message: ClientMessage, source: MessageSource): void {
    const { agent, reply: answer } = this.#options;
    if (this.#closed) return;
    switch (message.type) {
      case 'ping':
        answer(source, { type: 'pong', timestamp: message.timestamp });
        break;
      case 'set_output_medium':
        if (this.allows(message.medium)) agent.setOutputMedium(message.medium);
        else this.#refuse(`the agent may not answer by ${message.medium}`);
        break;
      case 'client_tool_result':
        agent.tools.settle('client', message);
        break;
      case 'data_connection_tool_result':
        // What a client says is no word of the owner's server.
        if (source === 'dataConnection') agent.tools.settle('dataConnection', message);
        else agent.tools.reportUnexpected(message);
        break;
      case 'user_text_message':
      case 'input_text_message':
      case 'forced_agent_message':
      case 'hang_up': {
        if ('text' in message && source === 'client' && !this.allows('text')) {
          this.#refuse('the user may not write');
          break;
        }
        this.#speak(message, source);
      }
    }
  }

  /** The user pressed this key of their phone. */
  pressKey(digit: string): void {
    if (!this.#closed && this.#keys?.press(digit)) this.#options.dispatch({ type: 'key_pressed' });
  }

  /** Nothing is taken any more. Keys that were pressed go to the history. */
  close(): void {
    this.#closed = true;
    const text = this.#keys?.close();
    if (text) this.#typed(text, 'later');
  }

  allows(medium: MessageMedium): boolean {
    return this.#options.spec.allowedMediums.includes(medium);
  }

  /** Keys are taken also where the user may only speak. */
  #typed(text: string, urgency: Urgency): void {
    this.#speak({ type: 'user_text_message', text, urgency }, 'client');
  }

  #speak(message: SpokenMessage, source: MessageSource): void {
    const { send, dispatch } = this.#options;
    const event = turnEventOf(message, source === 'client' ? 'hangup' : 'agent_hangup');
    if (event.type === 'ignored') send({ type: 'debug', message: event.why });
    else dispatch(source === 'client' ? this.#bounded(event) : event);
  }

  /** Of a client that has too much that can't wait, it waits. */
  #bounded(event: TurnEvent): TurnEvent {
    const isUrgent =
      (event.type === 'text_received' && event.urgency === 'immediate') ||
      (event.type === 'words_forced' && event.atOnce);
    if (!isUrgent || this.#urgent.take(this.#options.clock.nowMs())) return event;
    return event.type === 'text_received' ? { ...event, urgency: 'soon' } : { ...event, atOnce: false };
  }

  #refuse(why: string): void {
    this.#options.notes.add(
      'warning',
      'medium_not_allowed',
      `A message was ignored: ${why} in this call.`,
      null,
    );
  }
}
