/** Gives settable replies one after the other, from the first again after the last. */
export class Replies<T> {
  #replies: readonly T[] = [];
  #given = 0;

  /** Undefined where none are set. A new list begins with its first. */
  next(replies: readonly T[]): T | undefined {
    if (replies !== this.#replies) {
      this.#replies = replies;
      this.#given = 0;
    }
    if (replies.length === 0) return undefined;
    const reply = replies[this.#given % replies.length];
    this.#given += 1;
    return reply;
  }
}
