import type { DisconnectReason, CloseReason } from '@calls/conversation/ports/media-transport';
import { TokenBucket, type TokenBucketLimits } from '@calls/foundation/token-bucket';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { RawData, WebSocket } from 'ws';
import { MAX_CHECK_GAP_MS } from '../media-timeout.ts';

/**
 * Limits of text from one client, so that it cannot block the calls of others: a burst of 8 MiB, then 1 MiB per second.
 * Audio beyond real time is dropped unparsed and costs little.
 */
export const READ_LIMITS: TokenBucketLimits = { burst: 8 * 1024 * 1024, perSecond: 1024 * 1024 };

/** Maximum size of a WebSocket message; a larger one closes the connection with 1009 (RFC 6455). */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** Maximum number of frames of a message, each of which costs processor time; more close the connection with 1008. */
export const MAX_FRAGMENTS = 256;

/** The cost of a ping, which is answered, or a pong. */
const CONTROL_FRAME_COST = 1024;
const PING_EVERY_MS = 10_000;
/** How long a client may take to answer a ping when it seems unavailable. */
const PROBE_LIMIT_MS = 2000;
const CLOSE_LIMIT_MS = 2000;
/** Close code of an ended call; the close reason is the end reason. */
export const NORMAL_CLOSURE = 1000;
/** Close code of a call that continues on another worker ("service restart" in the RFC 6455 registry). */
export const SERVICE_RESTART = 1012;

/** Close codes that end the call (RFC 6455, section 7.4.1); 1005 means closed without a code. */
const CLIENT_DONE = new Set([NORMAL_CLOSURE, 1001, 1005]);

export interface ClientSocketOptions {
  socket: WebSocket;
  /** A client with more unread bytes is disconnected. */
  maxUnsentBytes: number;
  clock: Clock;
  /**
   * Set for telephony providers. They are not pinged, because not all respond, and not paused: a flood ends the call.
   */
  provider?: {
    /** Whether a normal closure ends the call. If false, the provider's protocol ends it before. */
    closesWhenDone: boolean;
  };
}

/** Receives the events of the socket. */
export interface ClientSocketListener {
  onText(bytes: Buffer): void;
  onBinary(bytes: Buffer): void;
  /** Called once, last, whichever side ended the connection. */
  onEnd(reason: DisconnectReason, detail: string): void;
}

/**
 * A client's WebSocket with bounded reading and writing, which detects unavailable clients. Call `check` every `CHECK_EVERY_MS`.
 */
export class ClientSocket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #maxUnsentBytes: number;
  readonly #listener: ClientSocketListener;
  readonly #provider: ClientSocketOptions['provider'];
  readonly #reads: TokenBucket;
  #lastPingMs: number;
  #checkedMs: number;
  /** Deadline for the pong, or for the next message of a provider; null after the client has responded. */
  #answerByMs: number | null = null;
  /** Reading is paused until this timer fires. */
  #pause: Timer | null = null;
  #ended = false;
  #closing: Promise<void> | null = null;

  constructor(options: ClientSocketOptions, listener: ClientSocketListener) {
    const { socket, maxUnsentBytes, clock, provider } = options;
    this.#socket = socket;
    this.#provider = provider;
    this.#clock = clock;
    this.#maxUnsentBytes = maxUnsentBytes;
    this.#listener = listener;
    this.#lastPingMs = clock.nowMs();
    this.#checkedMs = this.#lastPingMs;
    this.#reads = new TokenBucket(READ_LIMITS, this.#lastPingMs);
    socket.binaryType = 'fragments';
    socket.on('message', this.#onMessage);
    socket.on('ping', this.#onPing);
    socket.on('pong', this.#onPong);
    socket.on('close', this.#onClose);
    socket.on('error', this.#onError);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Has no effect after the end. Retains `data` until it is sent. */
  send(data: string | Buffer): void {
    if (!this.#ended && !this.#isTooSlow()) this.#socket.send(data);
  }

  /** Checks whether the client still responds. */
  checkLife(): void {
    if (this.#ended) return;
    const byMs = this.#clock.nowMs() + PROBE_LIMIT_MS;
    if (this.#answerByMs === null && !this.#provider) this.#socket.ping();
    this.#answerByMs = Math.min(this.#answerByMs ?? byMs, byMs);
  }

  check(nowMs: number): void {
    if (this.#ended) return;
    const pausedMs = Math.max(0, nowMs - this.#checkedMs - MAX_CHECK_GAP_MS);
    this.#checkedMs = nowMs;
    if (this.#answerByMs !== null) this.#answerByMs += pausedMs;
    if (this.#answerByMs !== null && nowMs >= this.#answerByMs) {
      this.#giveUp('the client no longer responds');
      return;
    }
    if (this.#provider) return;
    if (this.#answerByMs === null && nowMs - this.#lastPingMs >= PING_EVERY_MS) {
      this.#answerByMs = nowMs + PING_EVERY_MS;
      this.#lastPingMs = nowMs;
      this.#socket.ping();
    }
  }

  /** Ends the session; the connection may still be open until `close`. Idempotent. */
  end(reason: DisconnectReason, detail: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#resume();
    this.#listener.onEnd(reason, detail);
  }

  /** Closes the connection because the call has ended or continues elsewhere. Resolves when it is closed. */
  close(reason: CloseReason): Promise<void> {
    return reason === 'service_restart'
      ? this.closeWith(SERVICE_RESTART)
      : this.closeWith(NORMAL_CLOSURE, reason);
  }

  /** Idempotent: only the first code counts. */
  closeWith(code: number, reason?: string): Promise<void> {
    this.#closing ??= this.#close(code, reason);
    return this.#closing;
  }

  async #close(code: number, reason?: string): Promise<void> {
    this.end('hangup', 'closed by the server');
    const socket = this.#socket;
    if (socket.readyState !== socket.CLOSED) {
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
      });
      const limit = this.#clock.setTimer(CLOSE_LIMIT_MS, () => socket.terminate());
      if (socket.readyState === socket.OPEN) socket.close(code, reason);
      await closed;
      limit.cancel();
    }
    socket.off('message', this.#onMessage);
    socket.off('ping', this.#onPing);
    socket.off('pong', this.#onPong);
    socket.off('close', this.#onClose);
    // A socket that errors after its end must not bring the process down: that listener stays.
  }

  readonly #onMessage = (data: RawData, isBinary: boolean): void => {
    if (this.#ended) return;
    const bytes = toBuffer(data);
    if (this.#provider) this.#answerByMs = null;
    const cost = isBinary ? audioCost(bytes, Array.isArray(data) ? data.length : 1) : textCost(bytes);
    if (!this.#spend(cost)) return;
    if (isBinary) this.#listener.onBinary(bytes);
    else this.#listener.onText(bytes);
  };

  readonly #onPing = (): void => {
    this.#spend(CONTROL_FRAME_COST);
  };

  readonly #onPong = (): void => {
    this.#answerByMs = null;
    this.#spend(CONTROL_FRAME_COST);
  };

  /** Slows down a client that sends more than its limits. False if it has ended the session of such a provider. */
  #spend(cost: number): boolean {
    const pauseMs = this.#reads.spend(this.#clock.nowMs(), cost);
    if (pauseMs === 0 || this.#ended) return true;
    if (this.#provider) {
      this.end('connection_error', 'the provider sent far more data than a phone call needs');
      return false;
    }
    this.#pauseFor(pauseMs);
    return true;
  }

  readonly #onError = (error: Error): void => {
    this.end('lost', `the connection failed: ${error.message}`);
  };

  readonly #onClose = (code: number): void => {
    const isDone = this.#provider
      ? this.#provider.closesWhenDone && code === NORMAL_CLOSURE
      : CLIENT_DONE.has(code);
    if (isDone) this.end('hangup', `closed with ${code}`);
    else this.end('lost', `the connection closed with ${code}`);
  };

  /** Pauses reading from the client, including its pongs. */
  #pauseFor(pauseMs: number): void {
    this.#pause?.cancel();
    this.#socket.pause();
    this.#answerByMs = null;
    this.#pause = this.#clock.setTimer(pauseMs, () => this.#resume());
  }

  #resume(): void {
    if (!this.#pause) return;
    this.#pause.cancel();
    this.#pause = null;
    this.#socket.resume();
  }

  /** Disconnects a client that reads too slowly. Returns whether it did. */
  #isTooSlow(): boolean {
    if (this.#socket.bufferedAmount <= this.#maxUnsentBytes) return false;
    this.#giveUp('the client reads too slowly');
    return true;
  }

  /** Terminates a connection whose client no longer responds. */
  #giveUp(detail: string): void {
    this.end('lost', detail);
    this.#socket.terminate();
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** The cost of parsing a message, plus a fixed cost. */
export function textCost({ byteLength }: Buffer): number {
  return 1024 + byteLength;
}

function audioCost({ byteLength }: Buffer, fragments: number): number {
  return 64 * fragments + byteLength / 16;
}
