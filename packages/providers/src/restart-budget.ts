import type { Clock } from '@calls/foundation/clock';

const WINDOW_MS = 60_000;

/** Limits restarts per minute, so that a process that always fails is not restarted forever. */
export class RestartBudget {
  readonly #clock: Clock;
  readonly #perMinute: number;
  #takenAtMs: number[] = [];

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Takes a permit; false if none is left in this minute. */
  take(): boolean {
    const nowMs = this.#clock.nowMs();
    this.#takenAtMs = this.#takenAtMs.filter((atMs) => nowMs - atMs < WINDOW_MS);
    if (this.#takenAtMs.length >= this.#perMinute) return false;
    this.#takenAtMs.push(nowMs);
    return true;
  }
}
