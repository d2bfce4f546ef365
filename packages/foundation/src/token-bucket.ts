export interface TokenBucketLimits {
  /** Maximum amount that can be taken in a burst. */
  burst: number;
  perSecond: number;
}

/** A token bucket that limits what a peer may send or use. Pure: the caller passes the time. */
export class TokenBucket {
  readonly #limits: TokenBucketLimits;
  #left: number;
  #atMs: number;

  constructor(limits: TokenBucketLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#atMs = nowMs;
  }

  /** False, without taking anything, if the amount exceeds what is available. */
  take(nowMs: number, amount = 1): boolean {
    this.#refill(nowMs);
    if (this.#left < amount) return false;
    this.#left -= amount;
    return true;
  }

  /**
   * Records use that already happened. Returns the delay until the next use is allowed; 0 if some allowance
   * is left.
   */
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
