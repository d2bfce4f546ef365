import { seededRandom } from '@calls/audio/noise';

export interface LinkConditions {
  lossPercent: number;
  /** The minimum delay. */
  delayMs: number;
  /** Half of the range of delays, which are evenly distributed from `delayMs` to `delayMs + 2 * jitterMs`. */
  jitterMs: number;
  /** Whether packets are delivered in order, as by a queue. Otherwise they can overtake each other. */
  keepsOrder: boolean;
}

export const PERFECT_LINK: LinkConditions = { lossPercent: 0, delayMs: 0, jitterMs: 0, keepsOrder: true };

/** One direction of a lossy network. The same seed produces the same losses and delays. */
export class LossyLink {
  readonly #conditions: LinkConditions;
  readonly #random: () => number;
  #lastArrivalMs = -Infinity;

  constructor(conditions: LinkConditions, seed: number) {
    this.#conditions = conditions;
    this.#random = seededRandom(seed);
  }

  /** Arrival time of a packet sent at `sentMs`; null if it is lost. */
  arrivalMs(sentMs: number): number | null {
    const { lossPercent, delayMs, jitterMs, keepsOrder } = this.#conditions;
    const isLost = this.#random() * 100 < lossPercent;
    const arrivalMs = sentMs + delayMs + this.#random() * 2 * jitterMs;
    if (isLost) return null;
    if (!keepsOrder) return arrivalMs;
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, arrivalMs);
    return this.#lastArrivalMs;
  }
}
