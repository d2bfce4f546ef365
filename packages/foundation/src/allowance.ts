export interface AllowanceLimits {
  /** So much at once. */
  burst: number;
  perSecond: number;
}

/** How much of something the other side may have or do. Pure: time comes with each call. */
export class Allowance {
  readonly #limits: AllowanceLimits;
  #left: number;
  #atMs: number;

  constructor(limits: AllowanceLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#atMs = nowMs;
  }

  /** False where that is too much now; nothing is taken then. */
  take(nowMs: number, amount = 1): boolean {
    this.#refill(nowMs);
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }

  /** It has happened. How long until the next may: 0 while there is something left. */
  spend(nowMs: number, amount = 1): number {
    this.#refill(nowMs);
    this.#left -= amount;
    return this.#left >= 1 ? 0 : Math.ceil(((1 - this.#left) * 1000) / this.#limits.perSecond);
  }

  #refill(nowMs: number): void {
    const { burst, perSecond } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) * perSecond) / 1000);
    this.#atMs = nowMs;
  }
}
