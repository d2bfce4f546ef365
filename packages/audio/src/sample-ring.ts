/** A ring buffer of the newest samples of a stream, for example the audio before speech was detected. */
export class SampleRing {
  #buffer: Int16Array;
  #next = 0;
  #available = 0;
  #written = 0;

  constructor(capacitySamples: number) {
    if (!Number.isInteger(capacitySamples) || capacitySamples < 1) {
      throw new RangeError(`a ring must hold at least one sample, not ${capacitySamples}`);
    }
    this.#buffer = new Int16Array(capacitySamples);
  }

  get capacitySamples(): number {
    return this.#buffer.length;
  }

  /** Number of samples available. */
  get heldSamples(): number {
    return this.#available;
  }

  /** Number of samples ever written, including overwritten ones: the stream's position. */
  get writtenSamples(): number {
    return this.#written;
  }

  /** Copies `samples`, overwriting the oldest. */
  write(samples: Int16Array): void {
    const capacity = this.capacitySamples;
    const newest = samples.length > capacity ? samples.subarray(samples.length - capacity) : samples;
    const untilEnd = capacity - this.#next;
    if (newest.length <= untilEnd) {
      this.#buffer.set(newest, this.#next);
    } else {
      this.#buffer.set(newest.subarray(0, untilEnd), this.#next);
      this.#buffer.set(newest.subarray(untilEnd), 0);
    }
    this.#next = (this.#next + newest.length) % capacity;
    this.#available = Math.min(capacity, this.#available + newest.length);
    this.#written += samples.length;
  }

  /** Returns a copy of the last `count` samples, oldest first; fewer if fewer are available. */
  readLast(count: number): Int16Array {
    const length = Math.min(count, this.#available);
    const output = new Int16Array(length);
    const start = (this.#next - length + this.capacitySamples) % this.capacitySamples;
    const untilEnd = Math.min(length, this.capacitySamples - start);
    output.set(this.#buffer.subarray(start, start + untilEnd));
    output.set(this.#buffer.subarray(0, length - untilEnd), untilEnd);
    return output;
  }

  /** Enlarges the ring to hold at least `capacitySamples`; keeps what it holds. */
  reserve(capacitySamples: number): void {
    if (capacitySamples <= this.capacitySamples) return;
    const held = this.readLast(this.#available);
    this.#buffer = new Int16Array(capacitySamples);
    this.#buffer.set(held);
    this.#next = held.length;
  }

  /** Drops the samples; the position stays. */
  clear(): void {
    this.#next = 0;
    this.#available = 0;
  }
}
