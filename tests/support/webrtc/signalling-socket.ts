import { once } from 'node:events';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type {
  SignalMessage,
  SignalReady,
  SignalResults,
} from '@calls/api-contract/signalling/signal-messages';
import type { SignalRequest, SignalRequestOf } from '@calls/api-contract/signalling/signal-requests';
import { WebSocket } from 'ws';

type Received = SignalMessage | ServerMessage;
type RequestType = SignalRequest['type'];

/** The service closed the socket before it responded. */
export class SocketClosedError extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(`closed with ${code} ${reason}`);
    this.code = code;
  }
}

/** The client side of the signalling socket. */
export class SignallingSocket {
  readonly socket: WebSocket;
  readonly ready = Promise.withResolvers<SignalReady>();
  readonly closed = Promise.withResolvers<{ code: number; reason: string }>();
  /** Data messages received on the socket. */
  readonly messages: ServerMessage[] = [];
  readonly refused: string[] = [];
  readonly #answers = new Map<number, (message: SignalMessage & { type: 'rtc_answer' }) => void>();
  #requests = 0;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data: Buffer) => this.#onMessage(JSON.parse(data.toString()) as Received));
    this.socket.on('close', (code: number, reason: Buffer) => {
      this.closed.resolve({ code, reason: reason.toString() });
      this.ready.reject(new SocketClosedError(code, reason.toString()));
    });
    this.ready.promise.catch(() => undefined);
  }

  /** Rejects with the error of the service. */
  request<T extends RequestType>(
    request: Omit<SignalRequestOf<T>, 'requestId'> & { type: T },
  ): Promise<SignalResults[T]> {
    const requestId = (this.#requests += 1);
    return new Promise((resolve, reject) => {
      this.#answers.set(requestId, (answer) => {
        if ('error' in answer) reject(new Error(`${answer.error.code}: ${answer.error.message}`));
        else resolve(answer.result as SignalResults[T]);
      });
      void this.closed.promise.then(({ code, reason }) => reject(new SocketClosedError(code, reason)));
      this.socket.send(JSON.stringify({ ...request, requestId }));
    });
  }

  say(message: ClientMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Resolves when the service has read all sent messages and all its pending messages have arrived. */
  async settled(): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.ping();
    await Promise.race([once(this.socket, 'pong'), once(this.socket, 'close')]);
  }

  #onMessage(message: Received): void {
    switch (message.type) {
      case 'rtc_ready':
        this.ready.resolve(message);
        break;
      case 'rtc_answer':
        this.#answers.get(message.requestId)?.(message);
        this.#answers.delete(message.requestId);
        break;
      case 'rtc_error':
        this.refused.push(`${message.error.code}: ${message.error.message}`);
        break;
      default:
        this.messages.push(message);
    }
  }
}
