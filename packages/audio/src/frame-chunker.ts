/** Splits audio of any length into frames of a fixed length. Allocates only views after construction. */
export class FrameChunker {
  readonly frameSamples: number;
  readonly #frame: Int16Array;
  #filled = 0;

  constructor(frameSamples: number) {
    if (!Number.isInteger(frameSamples) || frameSamples < 1) {
      throw new RangeError(`a frame must have at least one sample, not ${frameSamples}`);
    }
    this.frameSamples = frameSamples;
    this.#frame = new Int16Array(frameSamples);
  }

  /** Samples of an incomplete frame. */
  get pendingSamples(): number {
    return this.#filled;
  }

  /**
   * Calls `onFrame` for each frame that `samples` completes, in order, before it returns. The frame is a reused
   * buffer (or `samples` itself if that is exactly one frame): read or copy it inside the callback and do not
   * retain it.
   */
  push(samples: Int16Array, onFrame: (frame: Int16Array) => void): void {
    if (this.#filled === 0 && samples.length === this.frameSamples) {
      onFrame(samples);
      return;
    }
    const frame = this.#frame;
    let taken = 0;
    while (samples.length - taken >= frame.length - this.#filled) {
      const end = taken + frame.length - this.#filled;
      frame.set(samples.subarray(taken, end), this.#filled);
      taken = end;
      this.#filled = 0;
      onFrame(frame);
    }
    frame.set(taken === 0 ? samples : samples.subarray(taken), this.#filled);
    this.#filled += samples.length - taken;
  }

  /** Pads an incomplete frame with silence and emits it; does nothing if there is none. */
  flush(onFrame: (frame: Int16Array) => void): void {
    if (this.#filled === 0) return;
    this.#frame.fill(0, this.#filled);
    this.#filled = 0;
    onFrame(this.#frame);
  }

  /** Drops an incomplete frame. */
  reset(): void {
    this.#filled = 0;
  }
}
