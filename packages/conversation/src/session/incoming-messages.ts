import type { ClientMessage, MessageMedium, ServerMessage } from '@calls/api-contract';
import { Allowance, type Clock } from '@calls/foundation';
import type { TurnEvent } from '../turn/turn-types.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallNotes } from './call-notes.ts';
import { turnEventOf } from './message-effects.ts';

/** Who sends data messages into a call. */
export type MessageSource = 'client' | 'dataConnection' | 'api';

/** What cuts the agent short and has the engines begin anew: more than a person writes only costs. */
const URGENT = { burst: 20, perSecond: 1 };

export interface IncomingMessagesOptions {
  allowedMediums: readonly MessageMedium[];
  agent: AgentSide;
  notes: CallNotes;
  /** To whoever listens to the call. */
  send: (message: ServerMessage) => void;
  /** To whoever sent a message. */
  answer: (source: MessageSource, message: ServerMessage) => void;
  dispatch: (event: TurnEvent) => void;
  clock: Clock;
}

/** What data messages do in a call. The agent's side hangs up by the API and the data connection, the user by the client. */
export class IncomingMessages {
  readonly #options: IncomingMessagesOptions;
  readonly #urgent: Allowance;
  #closed = false;

  constructor(options: IncomingMessagesOptions) {
    this.#options = options;
    this.#urgent = new Allowance(URGENT, options.clock.nowMs());
  }

  receive(message: ClientMessage, source: MessageSource): void {
    const { agent, answer, send, dispatch } = this.#options;
    if (this.#closed) return;
    switch (message.type) {
      case 'ping':
        answer(source, { type: 'pong', timestamp: message.timestamp });
        break;
      case 'set_output_medium':
        if (this.mayUse(message.medium)) agent.answerBy(message.medium);
        else this.#refuse(`the agent may not answer by ${message.medium}`);
        break;
      case 'client_tool_result':
        agent.tools.settle('client', message);
        break;
      case 'data_connection_tool_result':
        // What a client says is no word of the owner's server.
        if (source === 'dataConnection') agent.tools.settle('dataConnection', message);
        else agent.tools.unexpected(message);
        break;
      case 'user_text_message':
      case 'input_text_message':
      case 'forced_agent_message':
      case 'hang_up': {
        if ('text' in message && source === 'client' && !this.mayUse('text')) {
          this.#refuse('the user may not write');
          break;
        }
        const event = turnEventOf(message, source === 'client' ? 'hangup' : 'agent_hangup');
        if (event.type === 'ignored') send({ type: 'debug', message: event.why });
        else dispatch(source === 'client' ? this.#bounded(event) : event);
      }
    }
  }

  /** Nothing is taken any more. */
  close(): void {
    this.#closed = true;
  }

  mayUse(medium: MessageMedium): boolean {
    return this.#options.allowedMediums.includes(medium);
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
