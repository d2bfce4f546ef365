/** So many at once; then as many a second. */
const BURST = 200;
const PER_SECOND = 100;

/** How many messages of the other side are read: more wait on its side. Pure: time comes with each call. */
export class ReadAllowance {
  #left = BURST;
  #atMs: number;

  constructor(nowMs: number) {
    this.#atMs = nowMs;
  }

  /** One was read. How long to read nothing: 0 while there is some left. */
  take(nowMs: number): number {
    this.#left = Math.min(BURST, this.#left + ((nowMs - this.#atMs) * PER_SECOND) / 1000) - 1;
    this.#atMs = nowMs;
    return this.#left >= 1 ? 0 : Math.ceil(((1 - this.#left) * 1000) / PER_SECOND);
  }
}
