import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type {
  SignalMessage,
  SignalReady,
  SignalResults,
} from '@calls/api-contract/signalling/signal-messages';
import type { SignalRequest, SignalRequestOf } from '@calls/api-contract/signalling/signal-requests';
import { CallError } from '../call-error.ts';
import { ABNORMAL_CLOSURE, CLIENT_ABORTED, ENDED, errorOfClosing, type Closing } from './closing.ts';
import { RESPONSE_LIMIT_MS, JOIN_LIMIT_MS } from './reconnect-policy.ts';

/** Time limit of the close handshake. */
const CLOSE_LIMIT_MS = 1000;
/** Chromium emits an error without a close event for sockets that the page may not open. */
const CLOSE_AFTER_ERROR_MS = 200;

type Result = SignalResults[SignalRequest['type']];

interface Pending {
  settled: PromiseWithResolvers<Result>;
  timer: ReturnType<typeof setTimeout>;
}

/** Signalling on one connection: requests with responses, and data messages that the data channel cannot carry. */
export class SignallingSocket {
  /** Rejects with a CallError if the socket closes first. */
  readonly ready: Promise<SignalReady>;
  /** Always resolves. */
  readonly closed: Promise<Closing>;
  readonly #socket: WebSocket;
  readonly #onMessage: (message: ServerMessage) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #ready = Promise.withResolvers<SignalReady>();
  readonly #closed = Promise.withResolvers<Closing>();
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
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#read(data));
    socket.addEventListener('error', () => {
      setTimeout(() => this.#end({ code: ABNORMAL_CLOSURE, reason: '' }), CLOSE_AFTER_ERROR_MS);
    });
    socket.addEventListener('close', ({ code, reason }) => this.#end({ code, reason }));
  }

  /** Rejects with a CallError if the request is rejected, times out, or the socket closes. */
  async request<K extends SignalRequest['type']>(
    type: K,
    parameters: Omit<SignalRequestOf<K>, 'type' | 'requestId'>,
  ): Promise<SignalResults[K]> {
    this.#lastRequestId += 1;
    const requestId = this.#lastRequestId;
    if (!this.#write({ type, requestId, ...parameters })) {
      throw errorOfClosing(await this.closed, this.#wasReady);
    }
    const settled = Promise.withResolvers<Result>();
    const limitMs = type === 'rtc_join' ? JOIN_LIMIT_MS : RESPONSE_LIMIT_MS;
    const timer = setTimeout(() => {
      this.#pending.delete(requestId);
      settled.reject(new CallError('connection_lost', `no response to ${type} within ${limitMs} ms`));
    }, limitMs);
    this.#pending.set(requestId, { settled, timer });
    // The response has the type of its request.
    return (await settled.promise) as SignalResults[K];
  }

  /** Returns whether it was sent. */
  send(message: ClientMessage): boolean {
    return this.#write(message);
  }

  /** Leaves the call. */
  hangUp(): Promise<Closing> {
    return this.#close(ENDED);
  }

  /** Closes so that the call can continue on another connection. */
  breakOff(): void {
    void this.#close(CLIENT_ABORTED);
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
        this.#wasReady = true;
        this.#ready.resolve(message);
        break;
      case 'rtc_answer': {
        const pending = this.#take(message.requestId);
        if (!pending) break;
        if ('result' in message) pending.settled.resolve(message.result);
        else pending.settled.reject(new CallError('signalling_failed', message.error.message));
        break;
      }
      case 'rtc_error':
        // The message has no valid request id, so it answers no request of this client.
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
    const error = errorOfClosing(closing, this.#wasReady);
    this.#ready.reject(error);
    for (const requestId of [...this.#pending.keys()]) this.#take(requestId)?.settled.reject(error);
    this.#closed.resolve(closing.code === 1005 ? { ...closing, code: ABNORMAL_CLOSURE } : closing);
  }
}

/** Null if it is not a JSON object with a type. */
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
