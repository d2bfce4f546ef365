import type { Clock } from '@calls/foundation/clock';

/** Call time of one session. Steps of the system clock affect neither call time nor the billed duration. */
export class CallTime {
  /** Call time at the start of the session, in milliseconds. */
  readonly startsAtMs: number;
  readonly #clock: Clock;
  /** Wall time of the first join. */
  readonly #joinedAtMs: number;
  /** Time of the first join on the monotonic clock. */
  readonly #joinedMs: number;

  constructor(clock: Clock, joinedAtMs: number) {
    this.startsAtMs = Math.max(0, clock.wallMs() - joinedAtMs);
    this.#clock = clock;
    this.#joinedAtMs = joinedAtMs;
    this.#joinedMs = clock.nowMs() - this.startsAtMs;
  }

  /** Milliseconds since the first join. */
  get nowMs(): number {
    return Math.max(0, Math.round(this.at(this.#clock.nowMs())));
  }

  /** Wall time by the clock that dated the first join. */
  get wallMs(): number {
    return this.#joinedAtMs + this.nowMs;
  }

  /** Call time of a moment on the monotonic clock. */
  at(monotonicMs: number): number {
    return monotonicMs - this.#joinedMs;
  }
}
