/** Work that takes real time, such as requests. Virtual time stands still meanwhile. */
export class RealWork {
  readonly #pending = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const done = (): void => void this.#pending.delete(work);
    work.then(done, done);
    return work;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }
}
