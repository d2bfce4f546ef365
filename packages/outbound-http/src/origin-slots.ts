/** Under way at one origin at a time; the others wait for their turn, in order. */
export const MAX_PER_ORIGIN = 32;

interface Origin {
  active: number;
  /** Those waiting, in order of arrival. */
  waiting: Set<() => void>;
}

/** Bounds the requests at a time, so that an origin that answers nothing holds few connections and no others' turn. */
export class OriginSlots {
  readonly #origins = new Map<string, Origin>();

  /** Waits for a turn at the origin; call what it resolves with once, to pass the turn on. Rejects when `signal` aborts. */
  async acquire(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const origin = this.#origins.get(key) ?? { active: 0, waiting: new Set() };
    this.#origins.set(key, origin);
    if (origin.active < MAX_PER_ORIGIN) origin.active += 1;
    else await turn(origin.waiting, signal);
    return () => this.#release(key, origin);
  }

  #release(key: string, origin: Origin): void {
    const [next] = origin.waiting;
    if (next) {
      origin.waiting.delete(next);
      next();
      return;
    }
    origin.active -= 1;
    if (origin.active === 0) this.#origins.delete(key);
  }
}

function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      waiting.delete(take);
      reject(signal.reason as Error);
    };
    const take = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.add(take);
  });
}
