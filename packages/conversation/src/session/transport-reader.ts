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
  notes: CallEvents;
  send: (message: ServerMessage) => void;
  onClosed: (reason: ClosedReason) => void;
  /** The call can't go on. */
  onBroken: (fault: Error) => void;
}

/** Takes what comes over a transport into the call, until it is closed. */
export class TransportReader {
  readonly #options: TransportReaderOptions;

  constructor(options: TransportReaderOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { transport, onClosed, onBroken } = this.#options;
    try {
      for await (const event of transport.events) this.#take(event);
      onClosed('connection_error');
    } catch (thrown) {
      onBroken(toError(thrown));
    }
  }

  #take(event: TransportEvent): void {
    const { user, messages, notes, send } = this.#options;
    switch (event.type) {
      case 'audio':
        if (messages.allows('voice')) user.push(event.samples);
        break;
      case 'input_dropped':
        if (messages.allows('voice')) notes.overflow(event.durationMs);
        break;
      case 'input_missing':
        if (!messages.allows('voice')) break;
        user.pushSilence(event.durationMs);
        notes.underflow(event.durationMs);
        break;
      case 'data':
        messages.receive(event.message, 'client');
        break;
      case 'unknown_data':
        send({ type: 'debug', message: `data messages of type "${event.messageType}" are not known` });
        break;
      case 'malformed':
        notes.add('warning', 'malformed_message', event.detail, null);
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
    const { notes, onClosed } = this.#options;
    if (reason === 'connection_error') notes.add('error', 'connection_error', detail, null);
    if (reason === 'lost') notes.add('warning', 'connection_lost', detail, null);
    onClosed(reason);
  }
}
