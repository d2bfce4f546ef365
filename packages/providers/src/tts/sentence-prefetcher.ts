import { abortable } from '@calls/foundation/clock';
import type { SpokenSentence } from './spoken-sentence.ts';

/** Starts one sentence. `previous`: the text spoken before it in the same synthesis, '' at the start. */
export type StartSentence = (text: string, previous: string) => SpokenSentence;

const SPEAKABLE = /[\p{L}\p{N}]/u;

/** Starts sentences in order: the requested one and, as soon as its text is available, the next one. */
export class SentencePrefetcher {
  readonly #sentences: AsyncIterator<string>;
  readonly #signal: AbortSignal;
  readonly #start: StartSentence;
  #current: SpokenSentence | undefined;
  #following: Promise<SpokenSentence | undefined> | undefined;
  #started: SpokenSentence | undefined;
  #previous = '';
  #closed = false;

  constructor(sentences: AsyncIterable<string>, signal: AbortSignal, start: StartSentence) {
    this.#sentences = sentences[Symbol.asyncIterator]();
    this.#signal = signal;
    this.#start = start;
  }

  /** Closes the previous sentence. Undefined after the last; rejects with the signal's reason. */
  async next(): Promise<SpokenSentence | undefined> {
    this.#current?.close();
    this.#current = await (this.#following ?? this.#take());
    this.#following = this.#current && this.#take();
    return this.#current;
  }

  /** Idempotent. Does not wait for a busy source of sentences. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#current?.close();
    this.#started?.close();
    this.#sentences.return?.().catch(() => undefined);
  }

  #take(): Promise<SpokenSentence | undefined> {
    const taken = this.#takeSpeakable();
    // The promise is awaited later or, after an interruption, never.
    taken.catch(() => undefined);
    return taken;
  }

  async #takeSpeakable(): Promise<SpokenSentence | undefined> {
    for (;;) {
      const taken = await abortable(this.#sentences.next(), this.#signal);
      if (taken.done === true || this.#closed) return undefined;
      if (!SPEAKABLE.test(taken.value)) continue;
      this.#started = this.#start(taken.value, this.#previous);
      this.#previous = taken.value;
      return this.#started;
    }
  }
}
