/** Media time that may be ahead of the clock (a burst after a stall); what goes beyond is dropped. */
export const MAX_AHEAD_MS = 2000;
/** Media time that may be behind the clock before the gap is made up with silence. */
export const MAX_BEHIND_MS = 300;

/**
 * Keeps a client's media time near the clock: one second of audio per second. Begins with the first audio. Pure: time
 * comes with each call.
 */
export class InputClock {
  #startedMs: number | null = null;
  #mediaMs = 0;

  /** How much of `durationMs` of audio that arrived at `nowMs` may be taken; the rest is too much. */
  accept(durationMs: number, nowMs: number): number {
    this.#startedMs ??= nowMs;
    const aheadMs = this.#mediaMs - (nowMs - this.#startedMs);
    const acceptedMs = Math.min(durationMs, Math.max(0, MAX_AHEAD_MS - aheadMs));
    this.#mediaMs += acceptedMs;
    return acceptedMs;
  }

  /** Audio that should have come by `nowMs` and hasn't, counted as made up from now on; mostly 0. */
  missing(nowMs: number): number {
    if (this.#startedMs === null) return 0;
    const behindMs = nowMs - this.#startedMs - this.#mediaMs;
    if (behindMs < MAX_BEHIND_MS) return 0;
    const frames = Math.floor(behindMs / 20);
    this.#mediaMs += frames * 20;
    return frames * 20;
  }
}
