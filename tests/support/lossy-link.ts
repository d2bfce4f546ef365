import { seededRandom } from '@calls/audio/noise';

export interface LinkConditions {
  lossPercent: number;
  /** The shortest way through. */
  delayMs: number;
  /** Each packet's delay is from this below the middle to this above it, evenly; the shortest is `delayMs`. */
  jitterMs: number;
  /** Whether a packet that would overtake others waits for them, as in a queue; else it overtakes them. */
  keepsOrder: boolean;
}

export const PERFECT_LINK: LinkConditions = { lossPercent: 0, delayMs: 0, jitterMs: 0, keepsOrder: true };

/** One direction of a bad network: says what becomes of each packet. The same seed, the same fates. */
export class LossyLink {
  readonly #conditions: LinkConditions;
  readonly #random: () => number;
  #lastArrivalMs = -Infinity;

  constructor(conditions: LinkConditions, seed: number) {
    this.#conditions = conditions;
    this.#random = seededRandom(seed);
  }

  /** When a packet sent at `sentMs` arrives; null where it is lost. */
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
