import type { Clock, Timer } from '@calls/foundation/clock';

/** Something that has to be looked after every few milliseconds. */
export interface Paced {
  pump(nowMs: number): void;
}

/**
 * One heartbeat for all calls of a process. Beats against deadlines of the monotonic clock, so lateness does not add up;
 * sleeps while there is nothing to pace.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #beatMs: number;
  readonly #paced = new Set<Paced>();
  readonly #last = new Set<Paced>();
  #timer: Timer | null = null;
  #nextBeatMs = 0;

  constructor(clock: Clock, beatMs = 5) {
    this.#clock = clock;
    this.#beatMs = beatMs;
  }

  /** How many are looked after. */
  get size(): number {
    return this.#paced.size + this.#last.size;
  }

  add(paced: Paced): void {
    this.#paced.add(paced);
    this.#wake();
  }

  /** It is looked after when all others have been. */
  addLast(paced: Paced): void {
    this.#last.add(paced);
    this.#wake();
  }

  #wake(): void {
    if (this.#timer) return;
    this.#nextBeatMs = this.#clock.nowMs() + this.#beatMs;
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
    this.#timer = this.#clock.setTimer(this.#nextBeatMs - this.#clock.nowMs(), () => this.#beat());
  }

  #beat(): void {
    this.#timer = null;
    const nowMs = this.#clock.nowMs();
    for (const paced of this.#paced) paced.pump(nowMs);
    for (const paced of this.#last) paced.pump(nowMs);
    if (this.size === 0) return;
    // Beats that were missed are not made up for; pump catches up by itself.
    this.#nextBeatMs = Math.max(this.#nextBeatMs + this.#beatMs, nowMs);
    this.#schedule();
  }
}
