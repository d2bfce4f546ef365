import type { Sentence } from './sentence-builder.ts';

/**
 * The pieces of one answer on their way to a voice. A voice that fails can be replaced: the next reader begins with the
 * first piece that has not been heard of, and no piece is lost or said twice.
 */
export class SentenceFeed {
  readonly #source: AsyncIterator<Sentence>;
  /** Taken from the source and not spoken yet. */
  readonly #pieces: Sentence[] = [];
  /** How many pieces came before the first of `#pieces`. */
  #spokenCount = 0;
  #pull: Promise<boolean> | null = null;

  constructor(source: AsyncIterable<Sentence>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** What is to be spoken, from the first piece that is not spoken yet. */
  async *read(): AsyncGenerator<string> {
    for (let index = this.#spokenCount; ; index += 1) {
      while (index >= this.#spokenCount + this.#pieces.length) {
        if (!(await this.#takeOne())) return;
      }
      const piece = this.#pieces[index - this.#spokenCount];
      if (piece) yield piece.spoken;
    }
  }

  /**
   * The voice has begun to speak `spoken`. Answers what is shown for it, that of pieces which the voice passed over
   * (it had nothing to say for them) included.
   */
  take(spoken: string): string {
    const found = this.#pieces.findIndex((piece) => piece.spoken === spoken);
    const taken = this.#pieces.splice(0, Math.max(found, 0) + 1);
    this.#spokenCount += taken.length;
    return taken.map(({ shown }) => shown).join('');
  }

  /** False at the end. Readers that wait at the same time wait for the same piece. */
  #takeOne(): Promise<boolean> {
    this.#pull ??= this.#source
      .next()
      .then((next) => {
        if (!next.done) this.#pieces.push(next.value);
        return !next.done;
      })
      .finally(() => {
        this.#pull = null;
      });
    return this.#pull;
  }
}
