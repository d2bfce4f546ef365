/** So many at once; then one a second. */
const BURST = 50;

/** How many signalling requests of a client are looked at. Pure: time comes with each call. */
export class RequestAllowance {
  #left = BURST;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** False where one is too much. */
  take(nowMs: number): boolean {
    this.#left = Math.min(BURST, this.#left + (nowMs - this.#atMs) / 1000);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
