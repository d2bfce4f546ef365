import type { Clock } from '@calls/foundation/clock';

/** Utterances are seconds apart, so a value counts for this long. */
const WINDOW_MS = 5000;
const MAX_ENTRIES = 200;

/** The maximum of the recent values. */
export class LatenessPeak {
  readonly #clock: Clock;
  #entries: { atMs: number; latenessMs: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(latenessMs: number): void {
    this.#entries.push({ atMs: this.#clock.nowMs(), latenessMs });
    this.#entries = this.#entries.slice(-MAX_ENTRIES);
  }

  /** 0 if there are none. */
  get peakMs(): number {
    const sinceMs = this.#clock.nowMs() - WINDOW_MS;
    this.#entries = this.#entries.filter(({ atMs }) => atMs >= sinceMs);
    return Math.max(0, ...this.#entries.map(({ latenessMs }) => latenessMs));
  }
}
