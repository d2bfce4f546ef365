/** Gives settable replies one after the other, from the first again after the last. */
export class Replies {
  #texts: readonly string[] = [];
  #given = 0;

  /** Undefined where none are set. A new list begins with its first. */
  next(texts: readonly string[]): string | undefined {
    if (texts !== this.#texts) {
      this.#texts = texts;
      this.#given = 0;
    }
    if (texts.length === 0) return undefined;
    const text = texts[this.#given % texts.length];
    this.#given += 1;
    return text;
  }
}
