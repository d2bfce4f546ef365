/** Results by key, up to a total size. The least recently used ones make room. */
export class BoundedCache<T> {
  /** The least recently used one first. */
  readonly #entries = new Map<string, { value: T; size: number }>();
  readonly #pending = new Map<string, Promise<T>>();
  readonly #maxSize: number;
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Errors of `make` are not cached. */
  getOrMake(key: string, size: number, make: () => T): T {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value, size);
    return value;
  }

  /**
   * A result that is needed in several places at the same time is computed once. If `compute` rejects, only its own caller
   * fails; the others that wait for this result compute it themselves.
   */
  async getOrCompute(key: string, compute: () => Promise<T>, sizeOf: (value: T) => number): Promise<T> {
    for (;;) {
      const known = this.get(key);
      if (known !== undefined) return known;
      const pending = this.#pending.get(key);
      if (!pending) break;
      await pending.catch(() => undefined);
    }
    const computing = compute();
    this.#pending.set(key, computing);
    try {
      const value = await computing;
      this.set(key, value, sizeOf(value));
      return value;
    } finally {
      this.#pending.delete(key);
    }
  }

  set(key: string, value: T, size: number): void {
    this.#delete(key);
    if (size > this.#maxSize) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.#delete(oldest);
    }
  }

  /** The least recently used first. */
  entries(): [string, T][] {
    return [...this.#entries].map(([key, { value }]) => [key, value]);
  }

  #delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
