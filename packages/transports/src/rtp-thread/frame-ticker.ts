import type { Clock, Timer } from '@calls/foundation/clock';
import { FRAME_MS } from '../rtp/voice-codecs.ts';

/** Ticks missed in a longer stall are skipped. */
const MAX_CAUGHT_UP = 5;

/** Called every 20 ms with a frame count from an arbitrary origin; the count skips frames after a long stall. */
export type TickListener = (count: number) => void;

/** One 20 ms timer for all senders, without drift. Stops while there are no listeners. */
export class FrameTicker {
  readonly #clock: Clock;
  readonly #originMs: number;
  readonly #listeners = new Set<TickListener>();
  #next = 0;
  #timer: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#originMs = clock.nowMs();
  }

  /** Count of the next tick. */
  get next(): number {
    return this.#next;
  }

  /** Time of the next tick. */
  get nextMs(): number {
    return this.msOf(this.#next);
  }

  /** Time of a tick. */
  msOf(count: number): number {
    return this.#originMs + count * FRAME_MS;
  }

  add(listener: TickListener): void {
    this.#listeners.add(listener);
    if (this.#timer) return;
    this.#next = this.#countAt(this.#clock.nowMs()) + 1;
    this.#schedule();
  }

  remove(listener: TickListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #countAt(nowMs: number): number {
    return Math.floor((nowMs - this.#originMs) / FRAME_MS);
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(this.nextMs - this.#clock.nowMs(), () => this.#fire());
  }

  #fire(): void {
    // Timers may fire slightly early.
    const due = Math.max(this.#next, this.#countAt(this.#clock.nowMs()));
    for (let count = Math.max(this.#next, due - MAX_CAUGHT_UP + 1); count <= due; count += 1) {
      this.#next = count + 1;
      for (const listener of this.#listeners) listener(count);
    }
    if (this.#listeners.size > 0) this.#schedule();
  }
}
