import { Allowance } from '@calls/foundation';
import type { SipLimits } from '../endpoint-options.ts';

const MAX_ADDRESSES = 10_000;
/** All addresses together may have so many times what one may: forged ones cost no more. */
const OF_ALL = 10;

/** How many requests that belong to no call are answered. Pure: time comes with each. */
export class StrayLimit {
  readonly #limits: { burst: number; perSecond: number };
  readonly #all: Allowance;
  /** In the order of their last use: the one that was quiet for longest is forgotten first. */
  readonly #byAddress = new Map<string, Allowance>();

  constructor({ strayBurst, strayPerSecond }: SipLimits, nowMs: number) {
    this.#limits = { burst: strayBurst, perSecond: strayPerSecond };
    this.#all = new Allowance({ burst: strayBurst * OF_ALL, perSecond: strayPerSecond * OF_ALL }, nowMs);
  }

  /** False where nothing is to be answered. */
  take(address: string, nowMs: number): boolean {
    const allowance = this.#byAddress.get(address) ?? new Allowance(this.#limits, nowMs);
    this.#byAddress.delete(address);
    this.#byAddress.set(address, allowance);
    for (const oldest of this.#byAddress.keys()) {
      if (this.#byAddress.size <= MAX_ADDRESSES) break;
      this.#byAddress.delete(oldest);
    }
    return allowance.take(nowMs) && this.#all.take(nowMs);
  }
}
