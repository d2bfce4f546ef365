import type { Clock, Timer } from './clock.ts';

interface Scheduled {
  atMs: number;
  order: number;
  fire: () => void;
}

/** Default wall time at the start of a VirtualClock. */
export const VIRTUAL_EPOCH_MS = Date.UTC(2026, 0, 1);

/** A clock that only `advance` moves. Timers fire in order of due time, then of creation. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #order = 0;
  readonly #scheduled = new Set<Scheduled>();
  #epochMs: number;

  constructor(epochMs = VIRTUAL_EPOCH_MS) {
    this.#epochMs = epochMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#epochMs + this.#nowMs;
  }

  /** Number of pending timers; 0 at the end of a test without leaks. */
  get pendingTimers(): number {
    return this.#scheduled.size;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    const scheduled: Scheduled = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, fire };
    this.#scheduled.add(scheduled);
    return { cancel: () => this.#scheduled.delete(scheduled) };
  }

  /**
   * Advances time and fires due timers. `settled` is awaited between timers and at the end; by default, promises settle
   * then.
   */
  async advance(byMs: number, settled: () => Promise<void> = settle): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settled();
    for (let due = this.#nextDue(untilMs); due !== undefined; due = this.#nextDue(untilMs)) {
      this.#scheduled.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.fire();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }

  /** Sets the machine's clock forward, or back if negative. Does not affect timers. */
  setWallClock(byMs: number): void {
    this.#epochMs += byMs;
  }

  /** Moves time as when the process is paused: timers that become due fire late, in the next `advance`. */
  pause(byMs: number): void {
    this.#nowMs += byMs;
  }

  #nextDue(untilMs: number): Scheduled | undefined {
    let next: Scheduled | undefined;
    for (const candidate of this.#scheduled) {
      if (candidate.atMs > untilMs) continue;
      if (
        !next ||
        candidate.atMs < next.atMs ||
        (candidate.atMs === next.atMs && candidate.order < next.order)
      ) {
        next = candidate;
      }
    }
    return next;
  }
}

/** Lets promise chains settle (a macrotask drains the microtask queue first). */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
