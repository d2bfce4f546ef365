const WINDOW_BITS = 128;

/** Which of the latest packet indices have been received (RFC 3711, 3.3.2). */
export class ReplayWindow {
  #highest = -1;
  /** One bit per index; bit 0 is the highest. */
  #received = 0n;

  /** The highest received index; -1 before the first. */
  get highest(): number {
    return this.#highest;
  }

  /** Whether the index was not received and is not too old to tell. */
  isNew(index: number): boolean {
    const age = this.#highest - index;
    if (age < 0) return true;
    return age < WINDOW_BITS && ((this.#received >> BigInt(age)) & 1n) === 0n;
  }

  /** Call it only for authentic packets. */
  add(index: number): void {
    const step = index - this.#highest;
    if (step > 0) {
      this.#received = step >= WINDOW_BITS ? 0n : BigInt.asUintN(WINDOW_BITS, this.#received << BigInt(step));
      this.#highest = index;
    }
    this.#received |= 1n << BigInt(this.#highest - index);
  }
}
