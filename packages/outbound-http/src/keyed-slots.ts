import { OutboundError } from './outbound-error.ts';

interface Turns {
  active: number;
  /** Waiting requests, in order of arrival. */
  waiting: Set<() => void>;
}

export interface KeyedSlotsOptions {
  /** Maximum number of running requests per key; others wait in order. */
  perKey: number;
  /** Maximum number of waiting requests per key; further ones are rejected. */
  waitingPerKey: number;
}

/** Limits concurrent work per key, so that a key with slow work does not delay other keys. */
export class KeyedSlots {
  readonly #options: KeyedSlotsOptions;
  readonly #keys = new Map<string, Turns>();

  constructor(options: KeyedSlotsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a slot. Call the returned function once to release it. Rejects when `signal` aborts, or with an
   * OutboundError if too many requests wait.
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const turns = this.#keys.get(key) ?? { active: 0, waiting: new Set() };
    this.#keys.set(key, turns);
    if (turns.active < this.#options.perKey) turns.active += 1;
    else if (turns.waiting.size < this.#options.waitingPerKey) await turn(turns.waiting, signal);
    else
      throw new OutboundError('outbound_failed', 'too many requests are waiting', {
        retryable: true,
      });
    return () => this.#release(key, turns);
  }

  #release(key: string, turns: Turns): void {
    const [next] = turns.waiting;
    if (next) {
      turns.waiting.delete(next);
      next();
      return;
    }
    turns.active -= 1;
    if (turns.active === 0) this.#keys.delete(key);
  }
}

function turn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      waiting.delete(take);
      reject(signal?.reason as Error);
    };
    const take = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    waiting.add(take);
  });
}
