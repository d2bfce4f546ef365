import { QueueFullError } from '@calls/foundation/bounded-queue';

interface Waiter {
  grant: () => void;
}

/** A number of slots, handed out in the order they were asked for; a bounded number of askers waits. */
export class Slots {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();
  #free: number;

  constructor(count: number, maxWaiting: number) {
    this.#free = count;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves with the function that gives the slot back (idempotent). Rejects with a QueueFullError where too many wait, and
   * with the signal's reason when it aborts first.
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
