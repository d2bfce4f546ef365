import { QueueFullError } from '@calls/foundation/bounded-queue';

interface Waiter {
  grant: () => void;
}

/** A fixed number of slots, granted in request order. The number of waiting requests is bounded. */
export class Slots {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();
  #free: number;

  constructor(count: number, maxWaiting: number) {
    this.#free = count;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves with the function that releases the slot (idempotent). Rejects with a QueueFullError if too many requests
   * wait, or with the signal's reason on abort.
   */
  acquire(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(this.#releaseOnce());
    }
    if (this.#waiting.size >= this.#maxWaiting) return Promise.reject(new QueueFullError(this.#maxWaiting));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        grant: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#releaseOnce());
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #releaseOnce(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const [next] = this.#waiting;
      if (!next) {
        this.#free += 1;
        return;
      }
      this.#waiting.delete(next);
      next.grant();
    };
  }
}
