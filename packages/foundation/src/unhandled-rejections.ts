import { AsyncLocalStorage } from 'node:async_hooks';
import { toError } from './errors.ts';
import type { Logger } from './logger.ts';

/** Ends the call, request or job in which a promise rejected without a handler. Does not throw. */
export type OnUnhandledRejection = (err: Error) => void;

const owners = new AsyncLocalStorage<OnUnhandledRejection>();
let handled = 0;

/** Runs `run`. Calls `end` with the error of each promise without a handler that `run`, or anything it starts, rejects. */
export function catchUnhandledRejections<T>(end: OnUnhandledRejection, run: () => T): T {
  return owners.run(end, run);
}

/** Settles as `run` does, or rejects with the first unhandled rejection of `run` or of anything it starts. */
export function failOnUnhandledRejection<T>(run: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    catchUnhandledRejections(reject, run).then(resolve, reject);
  });
}

/** Rejections without a handler in this process so far. */
export function unhandledRejections(): number {
  return handled;
}

/** Ends what the rejected promise belongs to, and nothing else. Node calls it in the promise's own async context. */
export function endOwnerOf(reason: unknown, log: Logger): void {
  handled += 1;
  const err = toError(reason);
  const end = owners.getStore();
  log.error({ err, hasOwner: end !== undefined }, 'unhandled rejection');
  end?.(err);
}
