/** With this many chunks after a gap, the missing chunk is no longer waited for. */
const MAX_HELD = 4;
/** The same after this time. Chunks have 20 ms of audio. */
const MAX_WAIT_MS = 60;

/**
 * Puts numbered chunks of audio in order. Chunks in order are released immediately, and no chunk is dropped. If a gap
 * was not filled, as after a lost packet, later gaps are not waited for until a chunk arrives late. Pure: the caller
 * passes the time.
 */
export class ChunkOrder {
  /** Null before the first chunk. */
  #next: number | null = null;
  readonly #held = new Map<number, string>();
  #heldSinceMs = 0;
  #isWaiting = true;

  /** Returns the payloads that are due. */
  push(chunk: number, payload: string, nowMs: number): string[] {
    const ahead = this.#next === null ? 0 : chunk - this.#next;
    if (ahead < 0) {
      this.#isWaiting = true;
      return [payload];
    }
    if (ahead > 0 && this.#isWaiting) {
      if (this.#held.size === 0) this.#heldSinceMs = nowMs;
      this.#held.set(chunk, payload);
      return this.#held.size < MAX_HELD ? [] : this.#giveUp();
    }
    const due = [payload];
    this.#next = chunk + 1;
    for (let held = this.#take(); held !== undefined; held = this.#take()) due.push(held);
    return due;
  }

  /** Returns the payloads that have waited long enough. */
  overdue(nowMs: number): string[] {
    return this.#held.size > 0 && nowMs - this.#heldSinceMs >= MAX_WAIT_MS ? this.#giveUp() : [];
  }

  #giveUp(): string[] {
    this.#isWaiting = false;
    const held = [...this.#held].sort(([a], [b]) => a - b);
    this.#held.clear();
    this.#next = (held.at(-1)?.[0] ?? 0) + 1;
    return held.map(([, payload]) => payload);
  }

  /** The payload of the next chunk, if it is held. */
  #take(): string | undefined {
    const next = this.#next ?? 0;
    const payload = this.#held.get(next);
    if (this.#held.delete(next)) this.#next = next + 1;
    return payload;
  }
}
