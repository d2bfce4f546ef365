import {
  request as httpRequest,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { setLimit, type Clock, type Timer } from '@calls/foundation/clock';
import { attemptLimit } from './attempt-limit.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { MAX_REFUSAL_BYTES, refusal, refusalText } from './refusal.ts';
import { sharedLookup } from './shared-lookup.ts';

export interface ExchangeRequest {
  /** Adapter name for errors. */
  provider: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Sent in order without copying; must not change until the exchange is over. */
  body: readonly Uint8Array[];
  /** Texts to remove from the provider's error messages. */
  confidential: readonly string[];
  connectTimeoutMs: number;
  /** Ends the exchange with its reason and closes the connection. */
  signal: AbortSignal;
  /** Uses a new connection, so that the request is never sent a second time. */
  sentOnce?: boolean;
}

/** A time limit by the clock's `nowMs`, and the message of the timeout error. */
export interface Deadline {
  atMs: number;
  message: string;
}

/** Reading pauses while more bytes than this are buffered. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** How long buffered bytes are read in one turn of the event loop, so that a fast response does not delay other calls. */
const MAX_TURN_MS = 5;
/** How long an abandoned response may take to end before its connection is closed. */
const RELEASE_LIMIT_MS = 250;
const STALE_CONNECTION_CODES = new Set(['ECONNRESET', 'EPIPE']);

/**
 * One POST and its streamed response, read by pulling. Starts when constructed. Time limits run only during a read, so
 * a slow reader does not count as a slow provider. A request that fails on a reused connection before the first byte of
 * the response is sent once more, on a new connection; there are no other retries. Always end with `release` or
 * `close`.
 */
export class HttpExchange {
  readonly #clock: Clock;
  readonly #pool: ConnectionPool;
  readonly #request: ExchangeRequest;
  readonly #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  /** When this turn of the event loop began to read, by the clock. */
  #turnStartedMs = 0;
  #client: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #connectTimer: Timer | undefined;
  #state: 'open' | 'ended' | 'failed' | 'released' = 'open';
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(deps: { clock: Clock; pool: ConnectionPool }, request: ExchangeRequest) {
    this.#clock = deps.clock;
    this.#pool = deps.pool;
    this.#request = request;
    if (request.signal.aborted) {
      this.#fail(request.signal.reason as Error);
      return;
    }
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#send(request.sentOnce === true ? false : this.#pool.agentFor(request.url));
  }

  /** The headers of a 2xx response. Other statuses throw a `refused` error with status and message. */
  async head(deadline: Deadline): Promise<IncomingHttpHeaders> {
    while (this.#response === undefined && this.#state === 'open') await this.#change(deadline);
    if (this.#response === undefined) throw this.#failure ?? new Error('the exchange was released');
    const status = this.#response.statusCode ?? 0;
    if (status >= 200 && status < 300) return this.#response.headers;
    const { 'retry-after': retryAfter } = this.#response.headers;
    throw refusal(this.#request.provider, status, await this.#errorText(deadline), retryAfter);
  }

  /**
   * Creates the error for a response with headers of another protocol; `message` says why. Adds the body if it is text.
   * Call it before any `read`.
   */
  async unexpected(message: string, deadline: Deadline): Promise<ProviderError> {
    const isText = /json|text/i.test(this.#response?.headers['content-type'] ?? '');
    const said = isText ? await this.#errorText(deadline) : '';
    return this.#error('malformed', said === '' ? message : `${message}: ${said}`);
  }

  /** The next bytes; null after the last. */
  async read(deadline: Deadline): Promise<Buffer | null> {
    if (this.#chunks.length > 0 && this.#clock.nowMs() - this.#turnStartedMs >= MAX_TURN_MS) {
      await setImmediate();
      this.#turnStartedMs = this.#clock.nowMs();
    }
    for (;;) {
      if (this.#request.signal.aborted) throw this.#request.signal.reason as Error;
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bufferedBytes -= chunk.length;
        if (this.#bufferedBytes < MAX_BUFFERED_BYTES) this.#response?.resume();
        return chunk;
      }
      if (this.#failure) throw this.#failure;
      if (this.#state !== 'open') return null;
      await this.#change(deadline);
    }
  }

  /** Abandons the rest. A response that ends soon is read to its end, so that the connection can be reused. */
  release(): void {
    if (this.#state !== 'open' || this.#response === undefined) {
      this.close();
      return;
    }
    const client = this.#client;
    const timer = this.#clock.setTimer(RELEASE_LIMIT_MS, () => client?.destroy());
    this.#response.once('close', () => timer.cancel());
    this.#settle('released');
    this.#response.resume();
  }

  /** Drops the response, and closes its connection if it has not ended. Idempotent. */
  close(): void {
    if (this.#state === 'open') {
      this.#settle('released');
      this.#client?.destroy();
    }
    this.#discard();
  }

  readonly #onAbort = (): void => {
    this.#discard();
    this.#fail(this.#request.signal.reason as Error);
  };

  #send(agent: Agent | false): void {
    const { url, headers, body, connectTimeoutMs } = this.#request;
    const length = body.reduce((sum, part) => sum + part.length, 0);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const options = {
      method: 'POST',
      agent,
      lookup: sharedLookup,
      headers: { ...headers, 'content-length': length },
      ...attemptLimit(connectTimeoutMs),
    };
    const client = send(url, options);
    this.#client = client;
    client.on('socket', (socket) => {
      if (!socket.connecting || this.#state !== 'open') return;
      const limitMs = this.#request.connectTimeoutMs;
      this.#connectTimer = setLimit(this.#clock, limitMs, () => {
        this.#fail(this.#error('unreachable', `no connection within ${limitMs} ms`));
      });
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () =>
        this.#connectTimer?.cancel(),
      );
    });
    client.on('response', (response) => this.#onResponse(response));
    client.on('error', (error) => this.#onClientError(client, error));
    for (const part of body) client.write(part);
    client.end();
  }

  #onResponse(response: IncomingMessage): void {
    if (this.#state !== 'open') {
      response.destroy();
      return;
    }
    this.#response = response;
    response.on('data', (chunk: Buffer) => {
      if (this.#state !== 'open') return;
      this.#chunks.push(chunk);
      this.#bufferedBytes += chunk.length;
      if (this.#bufferedBytes >= MAX_BUFFERED_BYTES) response.pause();
      this.#wake?.();
    });
    response.on('end', () => {
      if (this.#state === 'open') this.#settle('ended');
    });
    const onCut = (): void => {
      if (this.#state === 'open')
        this.#fail(this.#error('cut', 'the connection broke before the response was complete'));
    };
    response.on('error', onCut);
    response.on('close', onCut);
    this.#wake?.();
  }

  #onClientError(client: ClientRequest, error: NodeJS.ErrnoException): void {
    if (this.#state !== 'open' || client !== this.#client || this.#response !== undefined) return;
    this.#connectTimer?.cancel();
    if (client.reusedSocket && STALE_CONNECTION_CODES.has(error.code ?? '')) {
      // Uses a new connection, which cannot be stale, so there is no further retry.
      this.#send(false);
      return;
    }
    this.#fail(
      this.#error(
        'unreachable',
        `no response from ${this.#request.url.host} (${error.code ?? error.name})`,
        error,
      ),
    );
  }

  /** The error message in a response body, without confidential texts; '' if there is none. */
  async #errorText(deadline: Deadline): Promise<string> {
    const parts: Buffer[] = [];
    let bytes = 0;
    try {
      while (bytes < MAX_REFUSAL_BYTES) {
        const part = await this.read(deadline);
        if (part === null) break;
        parts.push(part);
        bytes += part.length;
      }
    } catch (thrown) {
      // The body of an error response is optional. An abort is still reported as an abort.
      if (this.#request.signal.aborted) throw thrown;
    }
    this.release();
    const text = Buffer.concat(parts).subarray(0, MAX_REFUSAL_BYTES).toString('utf8');
    return refusalText(text, this.#request.confidential);
  }

  /** Resolves when headers, bytes, the end or an error has arrived. Throws after the deadline. */
  #change(deadline: Deadline): Promise<void> {
    return new Promise((resolve) => {
      const timer = setLimit(this.#clock, deadline.atMs - this.#clock.nowMs(), () => {
        this.#fail(this.#error('timeout', deadline.message));
      });
      this.#wake = () => {
        this.#wake = undefined;
        timer.cancel();
        this.#turnStartedMs = this.#clock.nowMs();
        resolve();
      };
    });
  }

  #fail(error: Error): void {
    if (this.#state !== 'open') return;
    this.#failure = error;
    this.#settle('failed');
    this.#client?.destroy();
  }

  #settle(state: 'ended' | 'failed' | 'released'): void {
    this.#state = state;
    this.#connectTimer?.cancel();
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#wake?.();
  }

  #discard(): void {
    this.#chunks.length = 0;
    this.#bufferedBytes = 0;
  }

  #error(kind: ProviderError['kind'], message: string, cause?: unknown): ProviderError {
    return new ProviderError(this.#request.provider, kind, message, { cause });
  }
}
