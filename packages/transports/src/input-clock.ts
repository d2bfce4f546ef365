/** Media time that may be ahead of the clock (a burst after a stall); what goes beyond is dropped. */
export const MAX_AHEAD_MS = 2000;
/** Media time that may be behind the clock before the gap is made up with silence. */
export const MAX_BEHIND_MS = 300;
const FRAME_MS = 20;

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
    return this.#behindMs(nowMs) < MAX_BEHIND_MS ? 0 : this.catchUp(Infinity, nowMs);
  }

  /** As much of `durationMs` as hasn't been made up yet, in whole frames, counted as made up from now on. */
  catchUp(durationMs: number, nowMs: number): number {
    const frames = Math.floor(Math.min(durationMs, Math.max(0, this.#behindMs(nowMs))) / FRAME_MS);
    this.#mediaMs += frames * FRAME_MS;
    return frames * FRAME_MS;
  }

  #behindMs(nowMs: number): number {
    return this.#startedMs === null ? 0 : nowMs - this.#startedMs - this.#mediaMs;
  }
}
