import { AsyncLocalStorage } from 'node:async_hooks';
import { toError } from './errors.ts';
import type { Logger } from './logger.ts';

/** Ends the call, request or job in which a promise rejected without a handler. Does not throw. */
export type EndOwner = (err: Error) => void;

const owners = new AsyncLocalStorage<EndOwner>();
let handled = 0;

/** Runs `run`; a promise that it, or anything it starts, leaves without a handler is passed to `end` when it rejects. */
export function ownRejections<T>(end: EndOwner, run: () => T): T {
  return owners.run(end, run);
}

/** Settles as `run` does, or rejects as soon as a promise that `run` left without a handler rejects. */
export function withOwnRejections<T>(run: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    ownRejections(reject, run).then(resolve, reject);
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
