/** Returns configured replies in rotation. */
export class Replies<T> {
  #replies: readonly T[] = [];
  #given = 0;

  /** Undefined if there are none. A new list starts with its first reply. */
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
