/**
 * Compares when audio arrives with when it is due. The first audio of a response starts the clock; later audio is due
 * when the client's buffer has room for it. Pure: the caller passes the time.
 */
export class ArrivalSchedule {
  readonly #bufferMs: number;
  readonly #jitterBufferMs: number;
  /** Start of the playback. */
  #startedMs = Number.NaN;
  #receivedMs = 0;

  /** `jitterBufferMs`: time from the first audio to the start of its playback. */
  constructor(bufferMs: number, jitterBufferMs = 0) {
    this.#bufferMs = bufferMs;
    this.#jitterBufferMs = jitterBufferMs;
  }

  /** When all received audio will have been played. */
  get playedUntilMs(): number {
    return Number.isNaN(this.#startedMs) ? -Infinity : this.#startedMs + this.#receivedMs;
  }

  /** The next audio starts a new response. */
  restart(): void {
    this.#startedMs = Number.NaN;
    this.#receivedMs = 0;
  }

  /** Lateness of `durationMs` of audio that arrived at `nowMs`, and whether playback had stopped for lack of audio. */
  arrived(durationMs: number, nowMs: number): { latenessMs: number; isGap: boolean } {
    if (Number.isNaN(this.#startedMs)) this.#startedMs = nowMs + this.#jitterBufferMs;
    const isGap = nowMs > this.playedUntilMs && this.#receivedMs > 0;
    const aheadMs = this.#bufferMs + this.#jitterBufferMs;
    const dueMs = this.#startedMs + Math.max(-this.#jitterBufferMs, this.#receivedMs + durationMs - aheadMs);
    this.#receivedMs += durationMs;
    const latenessMs = Math.max(0, nowMs - dueMs);
    // Late audio delays all audio after it.
    if (isGap) this.#startedMs = nowMs - this.#receivedMs + durationMs;
    return { latenessMs, isGap };
  }
}
