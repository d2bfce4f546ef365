import type { Clock } from './clock.ts';
import { TimeoutError } from './errors.ts';

/** Settles as `promise` does, or rejects with a TimeoutError after `limitMs`. The promise itself goes on. */
export function withTimeout<T>(clock: Clock, promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limitMs, () => reject(new TimeoutError(what, limitMs)));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. Leaves no listener behind. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
