/**
 * When audio arrived against when it should have: the first of an answer sets the clock, what follows is due as soon as
 * the client's buffer has room for it. Pure: time comes with each call.
 */
export class ArrivalSchedule {
  readonly #bufferMs: number;
  #startedMs = Number.NaN;
  #receivedMs = 0;

  constructor(bufferMs: number) {
    this.#bufferMs = bufferMs;
  }

  /** When all that has arrived will have been played. */
  get playedUntilMs(): number {
    return Number.isNaN(this.#startedMs) ? -Infinity : this.#startedMs + this.#receivedMs;
  }

  /** The next audio begins a new answer. */
  restart(): void {
    this.#startedMs = Number.NaN;
    this.#receivedMs = 0;
  }

  /** How late `durationMs` of audio that arrived at `nowMs` is, and whether the loudspeaker had run dry before it. */
  arrived(durationMs: number, nowMs: number): { latenessMs: number; isGap: boolean } {
    if (Number.isNaN(this.#startedMs)) this.#startedMs = nowMs;
    const isGap = nowMs > this.playedUntilMs && this.#receivedMs > 0;
    const dueMs = this.#startedMs + Math.max(0, this.#receivedMs + durationMs - this.#bufferMs);
    this.#receivedMs += durationMs;
    const latenessMs = Math.max(0, nowMs - dueMs);
    // Audio that arrives late delays everything after it.
    if (isGap) this.#startedMs = nowMs - this.#receivedMs + durationMs;
    return { latenessMs, isGap };
  }
}
