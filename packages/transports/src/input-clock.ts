/** How far media time may be ahead of the clock, in a burst after a stall. Audio beyond it is dropped. */
export const MAX_AHEAD_MS = 2000;
/** How far media time may be behind the clock before silence fills the gap. */
const MAX_BEHIND_MS = 300;
const FRAME_MS = 20;
/** Checks are 100 ms apart. A longer gap means that this process was paused and may not have read all audio yet. */
const MAX_CHECK_GAP_MS = 200;
/**
 * Time after a pause of the process in which to read the audio that arrived during the pause, and to receive audio from
 * peers that were also paused.
 */
const READ_GRACE_MS = 1000;

/**
 * Keeps a client's media time close to the clock: one second of audio per second. Starts with the first audio. Pure:
 * the caller passes the time.
 */
export class InputClock {
  #startedMs: number | null = null;
  #mediaMs = 0;
  #checkedMs = Infinity;
  /** Until then, no audio is reported as missing. */
  #graceUntilMs = -Infinity;
  /** Whether the latest late check started a grace period. */
  #hadGrace = false;

  /** How much of `durationMs` of audio that arrived at `nowMs` is accepted; the rest is too far ahead. */
  accept(durationMs: number, nowMs: number): number {
    this.#startedMs ??= nowMs;
    const aheadMs = this.#mediaMs - (nowMs - this.#startedMs);
    const acceptedMs = Math.min(durationMs, Math.max(0, MAX_AHEAD_MS - aheadMs));
    this.#mediaMs += acceptedMs;
    return acceptedMs;
  }

  /**
   * Audio overdue at `nowMs`, in ms. The caller fills it with silence, so it counts as received. Call it every 100 ms. If a
   * call is late, this process was paused: unread audio may be waiting, so none is overdue during READ_GRACE_MS.
   */
  missing(nowMs: number): number {
    if (this.#isInGrace(nowMs)) return 0;
    return this.#behindMs(nowMs) < MAX_BEHIND_MS ? 0 : this.catchUp(Infinity, nowMs);
  }

  /** The part of `durationMs` that was not filled before, in whole frames. Counts as received. */
  catchUp(durationMs: number, nowMs: number): number {
    const frames = Math.floor(Math.min(durationMs, Math.max(0, this.#behindMs(nowMs))) / FRAME_MS);
    this.#mediaMs += frames * FRAME_MS;
    return frames * FRAME_MS;
  }

  /** Two late checks in a row start only one grace period, so silence is filled even if every check is late. */
  #isInGrace(nowMs: number): boolean {
    const wasPaused = nowMs - this.#checkedMs > MAX_CHECK_GAP_MS;
    this.#checkedMs = nowMs;
    if (nowMs < this.#graceUntilMs) return true;
    this.#hadGrace = wasPaused && !this.#hadGrace;
    if (this.#hadGrace) this.#graceUntilMs = nowMs + READ_GRACE_MS;
    return this.#hadGrace;
  }

  #behindMs(nowMs: number): number {
    return this.#startedMs === null ? 0 : nowMs - this.#startedMs - this.#mediaMs;
  }
}
