const NOTHING = new Int16Array(0);

/** Splits audio of any length into whole chunks; the remainder waits. */
export class WholeChunks {
  readonly #chunkSamples: number;
  /** The remainder, shorter than a chunk. */
  #waiting: Int16Array = NOTHING;

  constructor(chunkSamples: number) {
    this.#chunkSamples = chunkSamples;
  }

  get waitingSamples(): number {
    return this.#waiting.length;
  }

  /** All complete chunks; may be empty. May return `samples` itself, to which no reference is retained. */
  push(samples: Int16Array): Int16Array {
    const total = this.#waiting.length + samples.length;
    const rest = total % this.#chunkSamples;
    if (this.#waiting.length === 0 && rest === 0) return samples;
    const all = new Int16Array(total);
    all.set(this.#waiting);
    all.set(samples, this.#waiting.length);
    this.#waiting = all.subarray(total - rest);
    return all.subarray(0, total - rest);
  }

  /** The remainder padded with silence; empty if there is none. */
  flush(): Int16Array {
    return this.#waiting.length === 0 ? NOTHING : this.push(new Int16Array(this.#missingSamples()));
  }

  drop(): void {
    this.#waiting = NOTHING;
  }

  #missingSamples(): number {
    return this.#chunkSamples - this.#waiting.length;
  }
}
