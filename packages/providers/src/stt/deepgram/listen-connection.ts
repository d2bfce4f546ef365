import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Timer } from '@calls/foundation/clock';
import { SocketLink, type SocketLinkOptions } from '../../http/socket-link.ts';
import {
  afterFinalize,
  afterFlush,
  afterResult,
  afterSending,
  isFlushed,
  NOTHING_SENT,
  flushLimitMs,
} from './flush.ts';
import { InsertedSilence } from './inserted-silence.ts';
import type { ListenProtocol } from './listen-protocol.ts';
import { CLOSE_STREAM } from './messages.ts';
import type { ListenResult } from './utterance-words.ts';

export interface ListenUser {
  /** Positions count from the connection's first sample. */
  onResult(result: ListenResult): void;
  /** There are results for all audio before the last `finalize`. */
  onFlushed(): void;
  /** The connection is lost. */
  onLost(error: ProviderError): void;
}

export type ListenConnectionOptions = Omit<SocketLinkOptions, 'onText' | 'onLost'> & {
  path: string;
  protocol: ListenProtocol;
};

/** Deepgram closes a connection after ten seconds without a message. */
const KEEP_ALIVE_MS = 4000;
/** One second of audio. A replay is sent in several messages. */
const MAX_MESSAGE_BYTES = 32_000;

/**
 * One audio stream to the STT provider. Connects when constructed; one user at a time. Positions count from the first sample
 * of the users' audio.
 */
export class ListenConnection {
  readonly path: string;
  readonly #options: ListenConnectionOptions;
  readonly #link: SocketLink;
  #user: ListenUser | null = null;
  #state = NOTHING_SENT;
  readonly #silence = new InsertedSilence();
  #hasResult = false;
  #lastSentMs: number;
  #keepAlive: Timer | undefined;
  #flushTimer: Timer | undefined;

  constructor(options: ListenConnectionOptions) {
    this.path = options.path;
    this.#options = options;
    this.#link = new SocketLink({
      ...options,
      onText: (text) => this.#onText(text),
      onLost: (error) => this.#lose(error),
    });
    this.#lastSentMs = options.clock.nowMs();
    this.#armKeepAlive(KEEP_ALIVE_MS);
  }

  get sentSamples(): number {
    return this.#state.sentSamples;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  get isReusable(): boolean {
    return this.#options.protocol.keepAlive !== null;
  }

  /** Whether the results for all sent audio are settled. */
  get isFlushed(): boolean {
    return isFlushed(this.#state);
  }

  /** Whether the provider has sent a result since `use` was last called. */
  get hasResult(): boolean {
    return this.#hasResult;
  }

  use(user: ListenUser): void {
    this.#user = user;
    this.#hasResult = false;
  }

  /** `pcm` must not change. */
  send(pcm: Uint8Array): void {
    for (let at = 0; at < pcm.length; at += MAX_MESSAGE_BYTES)
      this.#send(pcm.subarray(at, at + MAX_MESSAGE_BYTES));
    this.#state = afterSending(this.#state, samplesOf(pcm));
  }

  /** `onFlushed` is called later, never synchronously. */
  finalize(): void {
    const { finalize } = this.#options.protocol;
    this.#send(finalize);
    if (finalize instanceof Uint8Array) this.#silence.insert(this.sentSamples, samplesOf(finalize));
    this.#state = afterFinalize(this.#state);
    this.#cancelFlushLimit();
    this.#startFlushLimit();
  }

  /** Idempotent. */
  close(): void {
    this.#stop();
    this.#link.send(CLOSE_STREAM);
    this.#link.close();
  }

  #onText(text: string): void {
    const { protocol, confidential } = this.#options;
    try {
      const result = protocol.read(text, confidential);
      if (result) this.#onResult({ ...result, endSamples: this.#silence.without(result.endSamples) });
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown;
      const user = this.#user;
      this.close();
      user?.onLost(thrown);
    }
  }

  #onResult(result: ListenResult): void {
    this.#hasResult = true;
    this.#user?.onResult(result);
    const { state, flushed } = afterResult(this.#state, result);
    this.#state = state;
    if (result.isSettled) this.#cancelFlushLimit();
    this.#startFlushLimit();
    if (flushed) this.#user?.onFlushed();
  }

  /** Starts the timer for a missing response, but only after the provider has responded to this user once. */
  #startFlushLimit(): void {
    const limitMs = flushLimitMs(this.#state);
    if (limitMs === null || this.#flushTimer || !this.#hasResult) return;
    this.#flushTimer = this.#options.clock.setTimer(limitMs, () => this.#onFlushLimit());
  }

  #cancelFlushLimit(): void {
    this.#flushTimer?.cancel();
    this.#flushTimer = undefined;
  }

  #onFlushLimit(): void {
    this.#flushTimer = undefined;
    this.#state = afterFlush(this.#state);
    this.#user?.onFlushed();
  }

  #lose(error: ProviderError): void {
    const user = this.#user;
    this.#stop();
    user?.onLost(error);
  }

  #send(message: object | Uint8Array): void {
    this.#lastSentMs = this.#options.clock.nowMs();
    this.#link.send(message);
  }

  #armKeepAlive(afterMs: number): void {
    const { keepAlive } = this.#options.protocol;
    if (!keepAlive) return;
    this.#keepAlive = this.#options.clock.setTimer(afterMs, () => {
      const idleMs = this.#options.clock.nowMs() - this.#lastSentMs;
      if (idleMs >= KEEP_ALIVE_MS) this.#send(keepAlive);
      this.#armKeepAlive(idleMs >= KEEP_ALIVE_MS ? KEEP_ALIVE_MS : KEEP_ALIVE_MS - idleMs);
    });
  }

  #stop(): void {
    this.#user = null;
    this.#keepAlive?.cancel();
    this.#cancelFlushLimit();
  }
}

function samplesOf(pcm: Uint8Array): number {
  return pcm.length / Int16Array.BYTES_PER_ELEMENT;
}
