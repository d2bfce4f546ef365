import type { Sentence } from './sentence-builder.ts';

/**
 * Sentences of one response on their way to TTS. If a voice fails, the next reader continues with the first
 * sentence that was not spoken; none is lost or repeated.
 */
export class SentenceFeed {
  readonly #source: AsyncIterator<Sentence>;
  /** Read from the source and not spoken yet. */
  readonly #sentences: Sentence[] = [];
  /** Number of sentences before the first of `#sentences`. */
  #spokenCount = 0;
  #pull: Promise<boolean> | null = null;

  constructor(source: AsyncIterable<Sentence>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Yields the text to speak, from the first sentence not spoken yet. */
  async *read(): AsyncGenerator<string> {
    for (let index = this.#spokenCount; ; index += 1) {
      while (index >= this.#spokenCount + this.#sentences.length) {
        if (!(await this.#takeOne())) return;
      }
      const sentence = this.#sentences[index - this.#spokenCount];
      if (sentence) yield sentence.spoken;
    }
  }

  /**
   * Marks `spoken` as started. Returns the text to show, including that of skipped sentences, for which the
   * voice produced no audio.
   */
  take(spoken: string): string {
    const found = this.#sentences.findIndex((sentence) => sentence.spoken === spoken);
    const taken = this.#sentences.splice(0, Math.max(found, 0) + 1);
    this.#spokenCount += taken.length;
    return taken.map(({ shown }) => shown).join('');
  }

  /** Reads one more sentence; false at the end. Concurrent readers share one read. */
  #takeOne(): Promise<boolean> {
    this.#pull ??= this.#source
      .next()
      .then((next) => {
        if (!next.done) this.#sentences.push(next.value);
        return !next.done;
      })
      .finally(() => {
        this.#pull = null;
      });
    return this.#pull;
  }
}
