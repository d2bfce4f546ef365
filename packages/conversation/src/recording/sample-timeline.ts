/** A sliding window of a track: samples by position, silence where nothing was written. */
export class SampleTimeline {
  readonly #buffer: Int16Array;
  #start = 0;

  constructor(capacitySamples: number) {
    this.#buffer = new Int16Array(capacitySamples);
  }

  /** The first position in the window. */
  get start(): number {
    return this.#start;
  }

  /** The first position after the window. */
  get end(): number {
    return this.#start + this.#buffer.length;
  }

  /** Copies `samples` to `position`; samples outside the window are dropped. */
  write(position: number, samples: Int16Array): void {
    const from = Math.max(position, this.#start);
    const to = Math.min(position + samples.length, this.end);
    if (from >= to) return;
    const capacity = this.#buffer.length;
    const stored = samples.subarray(from - position, to - position);
    const at = from % capacity;
    const untilEnd = capacity - at;
    this.#buffer.set(stored.subarray(0, untilEnd), at);
    if (stored.length > untilEnd) this.#buffer.set(stored.subarray(untilEnd), 0);
  }

  /**
   * Copies `count` samples from `position` on to every `stride`th element of `target`, starting at
   * `targetIndex`.
   */
  read(position: number, count: number, target: Int16Array, targetIndex: number, stride: number): void {
    const capacity = this.#buffer.length;
    let at = position % capacity;
    for (let i = 0, to = targetIndex; i < count; i += 1, to += stride) {
      target[to] = this.#buffer[at] ?? 0;
      at += 1;
      if (at === capacity) at = 0;
    }
  }

  /** Moves the start of the window to `position`. */
  advance(position: number): void {
    const capacity = this.#buffer.length;
    const count = Math.min(position - this.#start, capacity);
    if (count <= 0) return;
    const at = this.#start % capacity;
    this.#buffer.fill(0, at, Math.min(at + count, capacity));
    if (at + count > capacity) this.#buffer.fill(0, 0, at + count - capacity);
    this.#start = position;
  }
}
