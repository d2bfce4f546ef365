/** How often transports check their peers. */
export const CHECK_EVERY_MS = 100;
/**
 * A longer time between two checks means that this process was paused and has not read the packets that arrived during
 * the pause.
 */
export const MAX_CHECK_GAP_MS = 1000;

/** Measures for how long a peer has sent no media, without the time in which this process was paused. */
export class MediaTimeout {
  #receivedMs: number;
  #checkedMs: number;

  constructor(nowMs: number) {
    this.#receivedMs = nowMs;
    this.#checkedMs = nowMs;
  }

  received(atMs: number): void {
    this.#receivedMs = Math.max(this.#receivedMs, atMs);
  }

  /** Milliseconds since the peer sent media. Call it every `CHECK_EVERY_MS`. */
  check(nowMs: number): number {
    this.#receivedMs += Math.max(0, nowMs - this.#checkedMs - MAX_CHECK_GAP_MS);
    this.#checkedMs = nowMs;
    return nowMs - this.#receivedMs;
  }
}
