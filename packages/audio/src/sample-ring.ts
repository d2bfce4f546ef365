/** The most recent samples of a stream, up to a fixed capacity: what was heard before speech was noticed. */
export class SampleRing {
  readonly capacitySamples: number;
  readonly #buffer: Int16Array;
  #next = 0;
  #held = 0;
  #written = 0;

  constructor(capacitySamples: number) {
    if (!Number.isInteger(capacitySamples) || capacitySamples < 1) {
      throw new RangeError(`a ring must hold at least one sample, not ${capacitySamples}`);
    }
    this.capacitySamples = capacitySamples;
    this.#buffer = new Int16Array(capacitySamples);
  }

  /** Samples that can be read now. */
  get heldSamples(): number {
    return this.#held;
  }

  /** All samples ever written, those overwritten since included: the stream's position. */
  get writtenSamples(): number {
    return this.#written;
  }

  /** Copies `samples` in; the oldest are overwritten. */
  write(samples: Int16Array): void {
    const capacity = this.capacitySamples;
    const kept = samples.length > capacity ? samples.subarray(samples.length - capacity) : samples;
    const untilEnd = capacity - this.#next;
    if (kept.length <= untilEnd) {
      this.#buffer.set(kept, this.#next);
    } else {
      this.#buffer.set(kept.subarray(0, untilEnd), this.#next);
      this.#buffer.set(kept.subarray(untilEnd), 0);
    }
    this.#next = (this.#next + kept.length) % capacity;
    this.#held = Math.min(capacity, this.#held + kept.length);
    this.#written += samples.length;
  }

  /** A copy of the last `count` samples, oldest first; fewer where fewer are held. */
  readLast(count: number): Int16Array {
    const length = Math.min(count, this.#held);
    const output = new Int16Array(length);
    const start = (this.#next - length + this.capacitySamples) % this.capacitySamples;
    const untilEnd = Math.min(length, this.capacitySamples - start);
    output.set(this.#buffer.subarray(start, start + untilEnd));
    output.set(this.#buffer.subarray(0, length - untilEnd), untilEnd);
    return output;
  }

  /** Forgets the samples; the position stays. */
  clear(): void {
    this.#next = 0;
    this.#held = 0;
  }
}
