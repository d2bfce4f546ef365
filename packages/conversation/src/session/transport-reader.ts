import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { toError } from '@calls/foundation/errors';
import type { ClosedReason, MediaTransport, TransportEvent } from '../ports/media-transport.ts';
import type { CallEvents } from './call-events.ts';
import type { IncomingMessages } from './incoming-messages.ts';
import type { UserSide } from './user-side.ts';

export interface TransportReaderOptions {
  transport: MediaTransport;
  user: UserSide;
  messages: IncomingMessages;
  callEvents: CallEvents;
  send: (message: ServerMessage) => void;
  onClosed: (reason: ClosedReason) => void;
  /** The call cannot continue. */
  onFatalError: (error: Error) => void;
}

/** Passes the events of a transport to the call until the transport closes. */
export class TransportReader {
  readonly #options: TransportReaderOptions;

  constructor(options: TransportReaderOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { transport, onClosed, onFatalError } = this.#options;
    try {
      for await (const event of transport.events) this.#take(event);
      onClosed('connection_error');
    } catch (thrown) {
      onFatalError(toError(thrown));
    }
  }

  #take(event: TransportEvent): void {
    const { user, messages, callEvents, send } = this.#options;
    switch (event.type) {
      case 'audio':
        if (messages.allows('voice')) user.push(event.samples);
        break;
      case 'input_dropped':
        if (messages.allows('voice')) callEvents.overflow(event.durationMs);
        break;
      case 'input_missing':
        if (!messages.allows('voice')) break;
        user.pushSilence(event.durationMs);
        callEvents.underflow(event.durationMs);
        break;
      case 'data':
        messages.receive(event.message, 'client');
        break;
      case 'unknown_data':
        send({ type: 'debug', message: `unknown data message type "${event.messageType}"` });
        break;
      case 'malformed':
        callEvents.add('warning', 'malformed_message', event.detail, null);
        break;
      case 'dtmf':
        messages.pressKey(event.digit);
        break;
      case 'mark':
        break;
      case 'closed':
        this.#close(event);
        break;
    }
  }

  #close({ reason, detail }: TransportEvent & { type: 'closed' }): void {
    const { callEvents, onClosed } = this.#options;
    if (reason === 'connection_error') callEvents.add('error', 'connection_error', detail, null);
    if (reason === 'lost') callEvents.add('warning', 'connection_lost', detail, null);
    onClosed(reason);
  }
}
