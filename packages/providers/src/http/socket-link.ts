import type { IncomingMessage } from 'node:http';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { setLimit, type Clock, type Timer } from '@calls/foundation/clock';
import { WebSocket, type RawData } from 'ws';
import { attemptLimit } from './attempt-limit.ts';
import { MAX_REFUSAL_BYTES, refusal, refusalMessage, refusalText } from './refusal.ts';
import { sharedLookup } from './shared-lookup.ts';

export interface SocketLinkOptions {
  /** Adapter name for errors. */
  provider: string;
  clock: Clock;
  /** `http:` and `https:` are converted to `ws:` and `wss:`. Errors contain only its host. */
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Texts to remove from the provider's error messages. */
  confidential: readonly string[];
  connectTimeoutMs: number;
  onText: (text: string) => void;
  /** The connection is lost or failed to open. Called once, and not after `close`. */
  onLost: (error: ProviderError) => void;
}

/** Audio messages have about 100 kB. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Time limit for the provider's close frame. */
const CLOSE_LIMIT_MS = 250;
const SOCKET_OPTIONS = {
  maxPayload: MAX_MESSAGE_BYTES,
  perMessageDeflate: false,
  /** How long a provider may take to end the connection after its close frame. */
  closeTimeout: 1000,
  lookup: sharedLookup,
};
const NORMAL_CLOSURE = 1000;

/** A WebSocket to a provider. Connects when constructed; messages sent before it is open are queued. */
export class SocketLink {
  readonly #options: SocketLinkOptions;
  readonly #socket: WebSocket;
  readonly #connectTimer: Timer;
  #unsent: (string | Uint8Array)[] = [];
  #opened = false;
  #over = false;

  constructor(options: SocketLinkOptions) {
    this.#options = options;
    const { clock, connectTimeoutMs, headers } = options;
    this.#socket = new WebSocket(options.url, {
      headers,
      ...SOCKET_OPTIONS,
      ...attemptLimit(connectTimeoutMs),
    });
    this.#connectTimer = setLimit(clock, connectTimeoutMs, () =>
      this.#lose('unreachable', `no connection within ${connectTimeoutMs} ms`),
    );
    this.#socket.on('open', () => this.#onOpen());
    this.#socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    this.#socket.on('unexpected-response', (_request, response) => this.#onRefused(response));
    this.#socket.on('close', (code, reason) => this.#onClose(code, reason.toString('utf8')));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#onError(error));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Bytes are sent as they are and must not change; other messages are sent as JSON. */
  send(message: object | Uint8Array): void {
    const data = message instanceof Uint8Array ? message : JSON.stringify(message);
    if (this.isOpen) this.#socket.send(data);
    else if (this.#socket.readyState === WebSocket.CONNECTING) this.#unsent.push(data);
  }

  /** Stops reading, so that the provider has to wait. */
  pause(): void {
    if (this.isOpen) this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Idempotent. */
  close(): void {
    this.#end();
    if (this.isOpen) {
      const timer = this.#options.clock.setTimer(CLOSE_LIMIT_MS, () => this.#socket.terminate());
      this.#socket.once('close', () => timer.cancel());
      this.#socket.resume();
      this.#socket.close(NORMAL_CLOSURE);
    } else if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#socket.terminate();
    }
  }

  #onOpen(): void {
    this.#opened = true;
    this.#connectTimer.cancel();
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const data of unsent) this.#socket.send(data);
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#over) return;
    if (isBinary) this.#lose('malformed', 'unexpected binary message');
    else this.#options.onText((data as Buffer).toString('utf8'));
  }

  /** An HTTP response that rejects the handshake. Its body is optional. */
  #onRefused(response: IncomingMessage): void {
    const { provider, confidential } = this.#options;
    let said = Buffer.alloc(0);
    response.on('data', (part: Buffer) => {
      said = Buffer.concat([said, part]).subarray(0, MAX_REFUSAL_BYTES);
    });
    const onEnd = (): void => {
      const text = refusalText(said.toString('utf8'), confidential);
      this.#fail(refusal(provider, response.statusCode ?? 0, text, response.headers['retry-after']));
    };
    response.on('end', onEnd);
    response.on('close', onEnd);
    response.on('error', onEnd);
  }

  #onClose(code: number, reason: string): void {
    const said = refusalMessage(reason, this.#options.confidential);
    const why = said === '' ? `code ${code}` : `code ${code}: ${said}`;
    this.#lose('cut', `the connection was closed before the response was complete (${why})`);
  }

  #onError(error: NodeJS.ErrnoException): void {
    const what = error.code ?? error.name;
    if (this.#opened)
      this.#lose('cut', `the connection broke before the response was complete (${what})`, error);
    else this.#lose('unreachable', `no response from ${this.#options.url.host} (${what})`, error);
  }

  #lose(kind: 'unreachable' | 'malformed' | 'cut', message: string, cause?: unknown): void {
    this.#fail(new ProviderError(this.#options.provider, kind, message, { cause }));
  }

  #fail(error: ProviderError): void {
    if (this.#over) return;
    this.#end();
    this.#socket.terminate();
    this.#options.onLost(error);
  }

  #end(): void {
    this.#over = true;
    this.#unsent = [];
    this.#connectTimer.cancel();
  }
}
