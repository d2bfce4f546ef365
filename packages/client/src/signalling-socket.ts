import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type {
  SignalMessage,
  SignalReady,
  SignalResults,
} from '@calls/api-contract/signalling/signal-messages';
import type { SignalRequest, SignalRequestOf } from '@calls/api-contract/signalling/signal-requests';
import { CallError } from './call-error.ts';
import { BROKEN, BROKEN_OFF, ENDED, errorOfClosing, type Closing } from './closing.ts';

/** From opening to the service's first message. */
const READY_LIMIT_MS = 10_000;
const ANSWER_LIMIT_MS = 8000;
/** The service gives a client 15 s to join. */
const JOIN_LIMIT_MS = 20_000;
/** A close handshake that takes longer isn't waited for. */
const CLOSE_LIMIT_MS = 1000;
/** Chromium ends a socket that the page may not open with an error, and without the close that follows any other error. */
const CLOSE_AFTER_ERROR_MS = 200;

type Result = SignalResults[SignalRequest['type']];

interface Pending {
  answered: PromiseWithResolvers<Result>;
  timer: ReturnType<typeof setTimeout>;
}

/** The signalling of one connection: requests and their answers, and data messages that go nowhere else. */
export class SignallingSocket {
  /** Rejects with a CallError where the socket closes before. */
  readonly ready: Promise<SignalReady>;
  /** Resolves always. */
  readonly closed: Promise<Closing>;
  readonly #socket: WebSocket;
  readonly #onMessage: (message: ServerMessage) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #ready = Promise.withResolvers<SignalReady>();
  readonly #closed = Promise.withResolvers<Closing>();
  readonly #readyTimer: ReturnType<typeof setTimeout>;
  #wasReady = false;
  #isClosed = false;
  #lastRequestId = 0;

  constructor(socket: WebSocket, onMessage: (message: ServerMessage) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
    this.ready = this.#ready.promise;
    this.closed = this.#closed.promise;
    // Callers that only await the end do not need the error.
    this.ready.catch(() => undefined);
    this.#readyTimer = setTimeout(() => this.breakOff(), READY_LIMIT_MS);
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#read(data));
    socket.addEventListener('error', () => {
      setTimeout(() => this.#end({ code: BROKEN, reason: '' }), CLOSE_AFTER_ERROR_MS);
    });
    socket.addEventListener('close', ({ code, reason }) => this.#end({ code, reason }));
  }

  /** Rejects with a CallError: refused, not answered in time, or the socket closed. */
  async request<K extends SignalRequest['type']>(
    type: K,
    parameters: Omit<SignalRequestOf<K>, 'type' | 'requestId'>,
  ): Promise<SignalResults[K]> {
    this.#lastRequestId += 1;
    const requestId = this.#lastRequestId;
    if (!this.#write({ type, requestId, ...parameters })) {
      throw new CallError('connection_lost', 'the socket is closed');
    }
    const answered = Promise.withResolvers<Result>();
    const limitMs = type === 'rtc_join' ? JOIN_LIMIT_MS : ANSWER_LIMIT_MS;
    const timer = setTimeout(() => {
      this.#pending.delete(requestId);
      answered.reject(new CallError('connection_lost', `no answer to ${type} within ${limitMs} ms`));
    }, limitMs);
    this.#pending.set(requestId, { answered, timer });
    // An answer has the form that belongs to its request.
    return (await answered.promise) as SignalResults[K];
  }

  /** Whether it was sent. */
  send(message: ClientMessage): boolean {
    return this.#write(message);
  }

  /** Leaves the call. */
  hangUp(): Promise<Closing> {
    return this.#close(ENDED);
  }

  /** Closes in a way that the call may go on by another connection. */
  breakOff(): void {
    void this.#close(BROKEN_OFF);
  }

  #close(code: number): Promise<Closing> {
    if (this.#isClosed) return this.closed;
    this.#socket.close(code);
    const timer = setTimeout(() => this.#end({ code, reason: '' }), CLOSE_LIMIT_MS);
    void this.closed.then(() => clearTimeout(timer));
    return this.closed;
  }

  #write(message: object): boolean {
    if (this.#isClosed || this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  #read(data: unknown): void {
    const message = parseMessage(data) as SignalMessage | ServerMessage | null;
    if (!message || this.#isClosed) return;
    switch (message.type) {
      case 'rtc_ready':
        clearTimeout(this.#readyTimer);
        this.#wasReady = true;
        this.#ready.resolve(message);
        break;
      case 'rtc_answer': {
        const pending = this.#take(message.requestId);
        if (!pending) break;
        if ('result' in message) pending.answered.resolve(message.result);
        else pending.answered.reject(new CallError('signalling_failed', message.error.message));
        break;
      }
      case 'rtc_error':
        // To what had no readable request id: nothing of ours.
        break;
      default:
        this.#onMessage(message);
    }
  }

  #take(requestId: number): Pending | undefined {
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    clearTimeout(pending?.timer);
    return pending;
  }

  #end(closing: Closing): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#readyTimer);
    const error = errorOfClosing(closing, this.#wasReady);
    this.#ready.reject(error);
    for (const requestId of [...this.#pending.keys()]) this.#take(requestId)?.answered.reject(error);
    this.#closed.resolve(closing.code === 1005 ? { ...closing, code: BROKEN } : closing);
  }
}

/** Null for what is no message: no JSON object with a type. */
export function parseMessage(data: unknown): { type: string } | null {
  if (typeof data !== 'string') return null;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== 'object' || value === null || !('type' in value)) return null;
    const { type } = value;
    return typeof type === 'string' ? { ...value, type } : null;
  } catch {
    return null;
  }
}
