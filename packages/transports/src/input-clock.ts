/** How far media time may be ahead of the clock, in a burst after a stall. Audio beyond it is dropped. */
export const MAX_AHEAD_MS = 2000;
/** How far media time may be behind the clock before silence fills the gap. */
export const MAX_BEHIND_MS = 300;
const FRAME_MS = 20;
/** Checks are 100 ms apart. A longer time means that this process was paused: audio of that time may wait to be read. */
const MAX_CHECK_GAP_MS = 200;
/** After a pause, audio that waits is read within this time, and peers that were paused as well send theirs. */
const READING_MS = 1000;

/**
 * Keeps a client's media time close to the clock: one second of audio per second. Starts with the first audio. Pure:
 * the caller passes the time.
 */
export class InputClock {
  #startedMs: number | null = null;
  #mediaMs = 0;
  #checkedMs = Infinity;
  /** Until then, overdue audio is awaited. */
  #readingUntilMs = -Infinity;
  #hasAwaited = false;

  /** How much of `durationMs` of audio that arrived at `nowMs` is accepted; the rest is too far ahead. */
  accept(durationMs: number, nowMs: number): number {
    this.#startedMs ??= nowMs;
    const aheadMs = this.#mediaMs - (nowMs - this.#startedMs);
    const acceptedMs = Math.min(durationMs, Math.max(0, MAX_AHEAD_MS - aheadMs));
    this.#mediaMs += acceptedMs;
    return acceptedMs;
  }

  /**
   * Audio overdue at `nowMs`, in ms. The caller fills it with silence, so it counts as received. Call it every 100 ms: a
   * call that is late shows that this process was paused, and audio that may wait to be read is not overdue.
   */
  missing(nowMs: number): number {
    if (this.#isReading(nowMs)) return 0;
    return this.#behindMs(nowMs) < MAX_BEHIND_MS ? 0 : this.catchUp(Infinity, nowMs);
  }

  /** The part of `durationMs` that was not filled before, in whole frames. Counts as received. */
  catchUp(durationMs: number, nowMs: number): number {
    const frames = Math.floor(Math.min(durationMs, Math.max(0, this.#behindMs(nowMs))) / FRAME_MS);
    this.#mediaMs += frames * FRAME_MS;
    return frames * FRAME_MS;
  }

  /** Not twice in succession, so that silence is filled even if every check is late. */
  #isReading(nowMs: number): boolean {
    const wasPaused = nowMs - this.#checkedMs > MAX_CHECK_GAP_MS;
    this.#checkedMs = nowMs;
    if (nowMs < this.#readingUntilMs) return true;
    this.#hasAwaited = wasPaused && !this.#hasAwaited;
    if (this.#hasAwaited) this.#readingUntilMs = nowMs + READING_MS;
    return this.#hasAwaited;
  }

  #behindMs(nowMs: number): number {
    return this.#startedMs === null ? 0 : nowMs - this.#startedMs - this.#mediaMs;
  }
}
