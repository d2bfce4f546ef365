/** For one loop that looks again whenever something may have changed. */
export class AsyncSignal {
  #pending = false;
  #wake: (() => void) | undefined;

  /** Any number of them before the next `wait` are one. */
  give(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Resolves at once where it was given since the last `wait` resolved, else as soon as it is. */
  async wait(): Promise<void> {
    if (!this.#pending) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#pending = false;
    this.#wake = undefined;
  }
}
