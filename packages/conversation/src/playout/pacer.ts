import type { Clock, Timer } from '@calls/foundation/clock';

/** Work that runs on every tick. */
export interface Paced {
  pump(nowMs: number): void;
}

/**
 * One timer for all calls of a process. Ticks follow deadlines of the monotonic clock, so delays do not
 * accumulate. Stops while nothing is registered. Frames are late by half a tick on average.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #paced = new Set<Paced>();
  readonly #last = new Set<Paced>();
  #timer: Timer | null = null;
  #nextTickMs = 0;

  constructor(clock: Clock, tickMs = 5) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  /** Number of registered items. */
  get size(): number {
    return this.#paced.size + this.#last.size;
  }

  add(paced: Paced): void {
    this.#paced.add(paced);
    this.#wake();
  }

  /** Registers an item that runs after all others. */
  addLast(paced: Paced): void {
    this.#last.add(paced);
    this.#wake();
  }

  #wake(): void {
    if (this.#timer) return;
    this.#nextTickMs = this.#clock.nowMs() + this.#tickMs;
    this.#schedule();
  }

  remove(paced: Paced): void {
    this.#paced.delete(paced);
    this.#last.delete(paced);
    if (this.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(this.#nextTickMs - this.#clock.nowMs(), () => this.#tick());
  }

  #tick(): void {
    this.#timer = null;
    // A tick takes milliseconds if much is due, so each item gets its own time.
    for (const paced of this.#paced) paced.pump(this.#clock.nowMs());
    for (const paced of this.#last) paced.pump(this.#clock.nowMs());
    if (this.size === 0) return;
    // Missed ticks are skipped; `pump` catches up.
    this.#nextTickMs = Math.max(this.#nextTickMs + this.#tickMs, this.#clock.nowMs());
    this.#schedule();
  }
}
