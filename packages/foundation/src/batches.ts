import { QueueFullError } from './bounded-queue.ts';

export interface BatchOptions<T, R> {
  /** The results, in the order of the items. If it rejects, it must have had no effect. */
  run: (items: readonly T[]) => Promise<readonly R[]>;
  /** Maximum number of concurrent batches. */
  concurrency: number;
  maxItems: number;
  /** Maximum number of waiting items; `add` rejects beyond it. */
  capacity: number;
  /**
   * Whether a single item may have caused the error. If so, each item of the batch runs alone; if not, waiting items
   * fail as well.
   */
  isOfOne: (thrown: unknown) => boolean;
}

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (reason: unknown) => void;
}

/**
 * Runs an operation for several items together. An item runs immediately if no other does; those that arrive in the
 * meantime form the next batch. Batches are thus as large as the load requires, and nothing waits for a timer.
 */
export class Batches<T, R> {
  readonly #options: BatchOptions<T, R>;
  readonly #waiting: Waiting<T, R>[] = [];
  #running = 0;

  constructor(options: BatchOptions<T, R>) {
    this.#options = options;
  }

  add(item: T): Promise<R> {
    const { capacity } = this.#options;
    if (this.#waiting.length >= capacity) return Promise.reject(new QueueFullError(capacity));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#startNext();
    });
  }

  #startNext(): void {
    const { concurrency, maxItems } = this.#options;
    if (this.#running >= concurrency || this.#waiting.length === 0) return;
    this.#running += 1;
    void this.#run(this.#waiting.splice(0, maxItems)).finally(() => {
      this.#running -= 1;
      this.#startNext();
    });
  }

  /** Never rejects. */
  async #run(batch: readonly Waiting<T, R>[]): Promise<void> {
    const { run, isOfOne } = this.#options;
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (thrown) {
      if (!isOfOne(thrown)) {
        // The waiting items have waited for as long, and would fail as well.
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(thrown);
      } else if (batch.length === 1) batch[0]?.reject(thrown);
      else for (const one of batch) await this.#run([one]);
    }
  }
}
