/** Sentences written one by one by a test, as by a model; reports which were read. */
export class SentenceSource implements AsyncIterable<string> {
  taken = 0;
  returned = false;
  readonly #sentences: string[] = [];
  #outcome: { error?: Error } | undefined;
  #wake: (() => void) | undefined;

  static of(sentences: readonly string[]): SentenceSource {
    const source = new SentenceSource();
    for (const sentence of sentences) source.write(sentence);
    source.end();
    return source;
  }

  write(sentence: string): void {
    this.#sentences.push(sentence);
    this.#wake?.();
  }

  end(): void {
    this.#outcome = {};
    this.#wake?.();
  }

  /** Thrown to the reader once all sentences are read. */
  fail(error: Error): void {
    this.#outcome = { error };
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: () => this.#next(),
      return: () => {
        this.returned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #next(): Promise<IteratorResult<string>> {
    for (;;) {
      const sentence = this.#sentences.shift();
      if (sentence !== undefined) {
        this.taken += 1;
        return { done: false, value: sentence };
      }
      if (this.#outcome?.error) throw this.#outcome.error;
      if (this.#outcome) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
