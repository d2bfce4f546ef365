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
  unansweredLimitMs,
} from './flush.ts';
import type { ListenResult } from './utterance-words.ts';
import { CLOSE_STREAM, FINALIZE, KEEP_ALIVE, readMessage } from './wire.ts';

export interface ListenUser {
  /** Positions count from the connection's first sample. */
  onResult(result: ListenResult): void;
  /** The provider has sent all final results for audio before the last `finalize`. */
  onFlushed(): void;
  /** The connection is lost. */
  onLost(error: ProviderError): void;
}

export type ListenConnectionOptions = Omit<SocketLinkOptions, 'onText' | 'onLost'> & { path: string };

/** The provider disconnects after ten seconds without audio. */
const KEEP_ALIVE_MS = 4000;
/** One second of audio. A replay is sent in several messages. */
const MAX_MESSAGE_BYTES = 32_000;

/** One audio stream to the STT provider, reused across utterances. Connects when constructed; one user at a time. */
export class ListenConnection {
  readonly path: string;
  readonly #options: ListenConnectionOptions;
  readonly #link: SocketLink;
  #user: ListenUser | null = null;
  #state = NOTHING_SENT;
  #hasAnswered = false;
  #lastSentMs: number;
  #keepAlive: Timer;
  #unansweredTimer: Timer | undefined;

  constructor(options: ListenConnectionOptions) {
    this.path = options.path;
    this.#options = options;
    this.#link = new SocketLink({
      ...options,
      onText: (text) => this.#onText(text),
      onLost: (error) => this.#lose(error),
    });
    this.#lastSentMs = options.clock.nowMs();
    this.#keepAlive = this.#armKeepAlive(KEEP_ALIVE_MS);
  }

  get sentSamples(): number {
    return this.#state.sentSamples;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  /** Whether the results for all sent audio are final. */
  get isFlushed(): boolean {
    return isFlushed(this.#state);
  }

  /** Whether the provider has sent a message since `use` was last called. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  use(user: ListenUser): void {
    this.#user = user;
    this.#hasAnswered = false;
  }

  /** `pcm` must not change. */
  send(pcm: Uint8Array): void {
    for (let at = 0; at < pcm.length; at += MAX_MESSAGE_BYTES)
      this.#send(pcm.subarray(at, at + MAX_MESSAGE_BYTES));
    this.#state = afterSending(this.#state, pcm.length / Int16Array.BYTES_PER_ELEMENT);
  }

  /** `onFlushed` is called later, never synchronously. */
  finalize(): void {
    this.#send(FINALIZE);
    this.#state = afterFinalize(this.#state);
    this.#cancelUnanswered();
    this.#awaitAnswer();
  }

  /** Idempotent. */
  close(): void {
    this.#stop();
    this.#link.send(CLOSE_STREAM);
    this.#link.close();
  }

  #onText(text: string): void {
    this.#hasAnswered = true;
    try {
      const result = readMessage(text, this.#options.confidential);
      if (result) this.#onResult(result);
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown;
      const user = this.#user;
      this.close();
      user?.onLost(thrown);
    }
  }

  #onResult(result: ListenResult): void {
    this.#user?.onResult(result);
    const { state, flushed } = afterResult(this.#state, result);
    this.#state = state;
    if (result.isFinal) this.#cancelUnanswered();
    this.#awaitAnswer();
    if (flushed) this.#user?.onFlushed();
  }

  /** Starts the timer for a missing response, but only after the provider has responded to this user once. */
  #awaitAnswer(): void {
    const limitMs = unansweredLimitMs(this.#state);
    if (limitMs === null || this.#unansweredTimer || !this.#hasAnswered) return;
    this.#unansweredTimer = this.#options.clock.setTimer(limitMs, () => this.#onUnanswered());
  }

  #cancelUnanswered(): void {
    this.#unansweredTimer?.cancel();
    this.#unansweredTimer = undefined;
  }

  #onUnanswered(): void {
    this.#unansweredTimer = undefined;
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

  #armKeepAlive(afterMs: number): Timer {
    return this.#options.clock.setTimer(afterMs, () => {
      const idleMs = this.#options.clock.nowMs() - this.#lastSentMs;
      if (idleMs >= KEEP_ALIVE_MS) this.#send(KEEP_ALIVE);
      this.#keepAlive = this.#armKeepAlive(idleMs >= KEEP_ALIVE_MS ? KEEP_ALIVE_MS : KEEP_ALIVE_MS - idleMs);
    });
  }

  #stop(): void {
    this.#user = null;
    this.#keepAlive.cancel();
    this.#cancelUnanswered();
  }
}
