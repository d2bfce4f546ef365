import { toError } from '@calls/foundation/errors';
import type { DisconnectReason, MediaTransport, TransportEvent } from '../ports/media-transport.ts';
import type { CallContext } from './call-context.ts';
import type { IncomingMessages } from './incoming-messages.ts';
import type { UserSide } from './user-side.ts';

export interface TransportReaderOptions {
  /** Whether the session has stopped: further events are discarded. */
  isOver: () => boolean;
  context: CallContext;
  transport: MediaTransport;
  user: UserSide;
  /** The user's audio as it arrives; it must not be retained. */
  onAudio: (samples: Int16Array) => void;
  messages: IncomingMessages;
  onClosed: (reason: DisconnectReason) => void;
}

/** Passes the events of a transport to the call until the transport closes or the session is over. */
export class TransportReader {
  readonly #options: TransportReaderOptions;
  readonly #acceptsVoice: boolean;

  constructor(options: TransportReaderOptions) {
    this.#options = options;
    this.#acceptsVoice = options.messages.allows('voice');
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { context, transport, onClosed } = this.#options;
    transport.events.takeAudio((samples) => {
      try {
        this.#takeAudio(samples);
      } catch (thrown) {
        context.fail(toError(thrown));
      }
    });
    try {
      for await (const event of transport.events) this.#take(event);
      onClosed('connection_error');
    } catch (thrown) {
      context.fail(toError(thrown));
    }
  }

  #takeAudio(samples: Int16Array): void {
    const { isOver, onAudio, user } = this.#options;
    if (!this.#acceptsVoice || isOver()) return;
    onAudio(samples);
    user.push(samples);
  }

  #take(event: TransportEvent): void {
    const { context, isOver, user, messages } = this.#options;
    if (isOver()) return;
    const { callEvents, send } = context;
    switch (event.type) {
      case 'audio':
        this.#takeAudio(event.samples);
        break;
      case 'input_dropped':
        if (this.#acceptsVoice) callEvents.overflow(event.durationMs);
        break;
      case 'input_missing':
        if (!this.#acceptsVoice) break;
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
      case 'hold':
        context.dispatch({ type: 'hold_changed', isOnHold: event.isOnHold });
        break;
      case 'dtmf':
        messages.pressKey(event.digit);
        break;
      case 'closed':
        this.#close(event);
        break;
    }
  }

  #close({ reason, detail }: TransportEvent & { type: 'closed' }): void {
    const { context, onClosed } = this.#options;
    const { callEvents } = context;
    if (reason === 'connection_error') callEvents.add('error', 'connection_error', detail, null);
    if (reason === 'lost') callEvents.add('warning', 'connection_lost', detail, null);
    onClosed(reason);
  }
}
