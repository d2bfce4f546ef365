import type { Clock } from '@calls/foundation/clock';

const WINDOW_MS = 60_000;

/** Lets something be started again only so many times a minute: what dies at once must not be started for ever. */
export class RestartBudget {
  readonly #clock: Clock;
  readonly #perMinute: number;
  #takenAtMs: number[] = [];

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** True, and one less is left for the next minute; false where none is left. */
  take(): boolean {
    const nowMs = this.#clock.nowMs();
    this.#takenAtMs = this.#takenAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS);
    if (this.#takenAtMs.length >= this.#perMinute) return false;
    this.#takenAtMs.push(nowMs);
    return true;
  }
}
