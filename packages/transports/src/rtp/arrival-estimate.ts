import { timestampDelta } from './sequence.ts';

const MIN_WAIT_MS = 20;
const MAX_WAIT_MS = 120;
/** Initial estimate: a typical round trip plus the time to request a retransmission. */
const FIRST_FILL_MS = 60;
const MAX_STEP_MS = 500;

/** Estimates how late packets arrive: interarrival jitter, and the time until missing packets arrive. */
export class ArrivalEstimate {
  readonly #clockRateHz: number;
  #jitterMs = 0;
  #fillMs = FIRST_FILL_MS;
  #last: { timestamp: number; arrivalMs: number } | null = null;

  constructor(clockRateHz: number) {
    this.#clockRateHz = clockRateHz;
  }

  /** RFC 3550, 6.4.1. */
  get jitterMs(): number {
    return this.#jitterMs;
  }

  /** How long to wait for a missing packet after a later one arrived. */
  get waitMs(): number {
    const wantedMs = Math.max(3 * this.#jitterMs, 1.25 * this.#fillMs);
    return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, wantedMs));
  }

  /** Adds a packet that is later than all before. */
  arrived(timestamp: number, arrivalMs: number): void {
    if (this.#last) {
      const mediaMs = (timestampDelta(timestamp, this.#last.timestamp) * 1000) / this.#clockRateHz;
      const stepMs = Math.abs(arrivalMs - this.#last.arrivalMs - mediaMs);
      this.#jitterMs += (Math.min(stepMs, MAX_STEP_MS) - this.#jitterMs) / 16;
      this.#last.timestamp = timestamp;
      this.#last.arrivalMs = arrivalMs;
    } else {
      this.#last = { timestamp, arrivalMs };
    }
  }

  /** Call it when the source's timestamps restart. */
  restarted(): void {
    this.#last = null;
  }

  /** Call it when a missing packet arrives `afterMs` after a later one, in time or not. */
  filled(afterMs: number): void {
    if (afterMs > MAX_WAIT_MS) return;
    this.#fillMs = Math.max(afterMs, this.#fillMs + (afterMs - this.#fillMs) / 32);
  }

  /** Call it when a missing packet is considered lost. If none ever arrives, waiting is useless. */
  gaveUp(): void {
    this.#fillMs -= this.#fillMs / 16;
  }
}
