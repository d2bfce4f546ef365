import { settle } from '@calls/foundation/virtual-clock';

/** Work that takes real time, such as requests. Virtual time does not advance in the meantime. */
export class RealTimeWork {
  readonly #pending = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const done = (): void => void this.#pending.delete(work);
    work.then(done, done);
    return work;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  /** Resolves when nothing is under way, and what follows from it has happened. */
  async settled(): Promise<void> {
    await settle();
    while (this.#pending.size > 0) {
      await this.idle();
      await settle();
    }
  }
}
