import type { Clock } from './clock.ts';
import { TimeoutError } from './errors.ts';

/** Settles as `promise` does, or rejects with a TimeoutError after `limitMs`. The promise itself goes on. */
export function withTimeout<T>(clock: Clock, promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limitMs, () => reject(new TimeoutError(what, limitMs)));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
