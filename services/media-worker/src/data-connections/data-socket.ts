import type { IncomingMessage, Agent } from 'node:http';
import { TokenBucket } from '@calls/foundation/token-bucket';
import type { Clock, Timer } from '@calls/foundation/clock';
import { MAX_FRAGMENTS } from '@calls/transports/client-socket/client-socket';
import { WebSocket, type RawData } from 'ws';
import type { Outgoing } from './send-queue.ts';

/** Time limit from the name look-up to the end of the handshake. */
export const HANDSHAKE_LIMIT_MS = 10_000;
/** A peer that sends nothing between two pings is disconnected: detected within twice this. */
export const PING_EVERY_MS = 7000;
const CLOSE_LIMIT_MS = 2000;
/** Larger messages close the connection (RFC 6455, 1009). */
const MAX_PAYLOAD_BYTES = 1024 * 1024;
const SOCKET_OPTIONS = {
  maxPayload: MAX_PAYLOAD_BYTES,
  maxFragments: MAX_FRAGMENTS,
  perMessageDeflate: false,
  /** How long a server may take to end the connection after its close frame. */
  closeTimeout: CLOSE_LIMIT_MS,
};
/** Rate limit of messages, pings and pongs. Above it, reading pauses. */
const READS = { burst: 200, perSecond: 100 };

/** A WebSocket close code and reason. */
export interface Closing {
  code: number;
  reason: string;
}

/** How a connection ended, or why it could not be opened. */
export type SocketEnd =
  /** The server rejected the handshake with this status. */
  | { kind: 'refused'; status: number }
  | { kind: 'failed'; error: Error }
  | ({ kind: 'closed' } & Closing)
  /** No handshake in time, or no response to a ping. */
  | { kind: 'silent'; limitMs: number };

export interface DataSocketOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  agent: Agent;
  clock: Clock;
  onOpen: () => void;
  onText: (bytes: Buffer) => void;
  /** A binary message arrived; only text is supported. */
  onBinary: () => void;
  /** More data can be sent. */
  onDrain: () => void;
  /** Called once, last, with or without `onOpen` before. Not called after `close`. */
  onEnd: (end: SocketEnd) => void;
}

/** One WebSocket to a customer's server. Connects when constructed. */
export class DataSocket {
  readonly #options: DataSocketOptions;
  readonly #socket: WebSocket;
  readonly #allowance: TokenBucket;
  #timer: Timer;
  /** Reading is paused until this timer fires. */
  #pause: Timer | null = null;
  #hasReceived = true;
  #over = false;

  /** Throws if the headers are invalid. */
  constructor(options: DataSocketOptions) {
    this.#options = options;
    const { url, headers, agent, clock } = options;
    this.#allowance = new TokenBucket(READS, clock.nowMs());
    this.#socket = new WebSocket(url, { headers, agent, ...SOCKET_OPTIONS });
    this.#timer = clock.setTimer(HANDSHAKE_LIMIT_MS, () =>
      this.#end({ kind: 'silent', limitMs: HANDSHAKE_LIMIT_MS }),
    );
    this.#socket.on('open', () => this.#onOpen());
    this.#socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    this.#socket.on('ping', () => this.#onFrame());
    this.#socket.on('pong', () => this.#onFrame());
    this.#socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      response.destroy();
      this.#end({ kind: 'refused', status: response.statusCode ?? 0 });
    });
    this.#socket.on('error', (error) => this.#end({ kind: 'failed', error }));
    this.#socket.on('close', (code, reason) =>
      this.#end({ kind: 'closed', code, reason: reason.toString('utf8') }),
    );
  }

  /** False as soon as the server has sent its close frame. */
  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Number of bytes that have not been sent yet. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Call it only while open. */
  send(data: Outgoing): void {
    this.#socket.send(data, this.#onSent);
  }

  /** Sends queued data before closing. Resolves shortly after, when the connection is closed. Idempotent. */
  async close({ code, reason }: Closing): Promise<void> {
    const socket = this.#socket;
    this.#over = true;
    this.#stop();
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate();
    if (socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const limit = this.#options.clock.setTimer(CLOSE_LIMIT_MS, () => socket.terminate());
    if (socket.readyState === WebSocket.OPEN) {
      socket.close(code, reason);
      // Otherwise the close frame of the other side would not be read.
      socket.resume();
    }
    await closed;
    limit.cancel();
  }

  #onOpen(): void {
    if (this.#over) return;
    this.#timer.cancel();
    this.#timer = this.#schedulePing();
    this.#options.onOpen();
  }

  /** A message, ping or pong: each costs processor time. */
  #onFrame(): void {
    this.#hasReceived = true;
    if (this.#over) return;
    const pauseMs = this.#allowance.spend(this.#options.clock.nowMs());
    if (pauseMs > 0) this.#pauseFor(pauseMs);
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    this.#onFrame();
    if (this.#over) return;
    const { onBinary, onText } = this.#options;
    if (isBinary) onBinary();
    else onText(data as Buffer);
  }

  /** Pauses reading, so that the other side has to wait. */
  #pauseFor(pauseMs: number): void {
    this.#pause?.cancel();
    this.#socket.pause();
    this.#pause = this.#options.clock.setTimer(pauseMs, () => {
      this.#pause = null;
      this.#hasReceived = true;
      this.#socket.resume();
    });
  }

  #schedulePing(): Timer {
    return this.#options.clock.setTimer(PING_EVERY_MS, () => {
      // Pongs are not read during a pause either.
      if (!this.#hasReceived && !this.#pause) {
        this.#end({ kind: 'silent', limitMs: PING_EVERY_MS });
        return;
      }
      this.#hasReceived = false;
      this.#socket.ping();
      this.#timer = this.#schedulePing();
    });
  }

  readonly #onSent = (): void => {
    if (!this.#over) this.#options.onDrain();
  };

  #end(end: SocketEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#stop();
    // Frees the resources of a half-open connection. Errors no longer matter.
    this.#socket.terminate();
    this.#options.onEnd(end);
  }

  #stop(): void {
    this.#timer.cancel();
    this.#pause?.cancel();
  }
}
