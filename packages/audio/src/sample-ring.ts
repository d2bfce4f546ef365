/** A ring buffer of the newest samples of a stream, for example the audio before speech was detected. */
export class SampleRing {
  /** The sample at stream position p is at index p modulo the capacity. */
  #buffer: Int16Array;
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
    this.#written += samples.length;
    const newest = samples.length > capacity ? samples.subarray(samples.length - capacity) : samples;
    const start = (this.#written - newest.length) % capacity;
    const untilEnd = capacity - start;
    if (newest.length <= untilEnd) {
      this.#buffer.set(newest, start);
    } else {
      this.#buffer.set(newest.subarray(0, untilEnd), start);
      this.#buffer.set(newest.subarray(untilEnd), 0);
    }
    this.#available = Math.min(capacity, this.#available + newest.length);
  }

  /** Returns a copy of the last `count` samples, oldest first; fewer if fewer are available. */
  readLast(count: number): Int16Array {
    const length = Math.min(count, this.#available);
    const output = new Int16Array(length);
    const start = (this.#written - length) % this.capacitySamples;
    const untilEnd = Math.min(length, this.capacitySamples - start);
    output.set(this.#buffer.subarray(start, start + untilEnd));
    output.set(this.#buffer.subarray(0, length - untilEnd), untilEnd);
    return output;
  }

  /**
   * A view of the `count` samples from stream position `from`, valid until they are overwritten. The ring must hold
   * them, and `count` must divide both `from` and the capacity.
   */
  block(from: number, count: number): Int16Array {
    const start = from % this.capacitySamples;
    return this.#buffer.subarray(start, start + count);
  }

  /** Enlarges the ring to hold at least `capacitySamples`; keeps what it holds. */
  reserve(capacitySamples: number): void {
    if (capacitySamples <= this.capacitySamples) return;
    const held = this.readLast(this.#available);
    this.#buffer = new Int16Array(capacitySamples);
    this.#available = 0;
    this.#written -= held.length;
    this.write(held);
  }
}
