const PAGE_SAMPLES = 1600;
/** Bounds the memory of `unused` to 3 MB. */
const MAX_UNUSED_PAGES = 1024;
/** Pages of all timelines for reuse. Their content is undefined. */
const unused: Int16Array[] = [];

/**
 * A sliding window of a track: samples by position, silence where nothing was written. Only written parts take
 * memory.
 */
export class SampleTimeline {
  readonly #capacitySamples: number;
  /** By position / PAGE_SAMPLES; holds pages with written samples in the window. */
  readonly #pages = new Map<number, Int16Array>();
  #start = 0;

  constructor(capacitySamples: number) {
    this.#capacitySamples = capacitySamples;
  }

  /** The first position after the window. */
  get end(): number {
    return this.#start + this.#capacitySamples;
  }

  /** Copies `samples` to `position`; samples outside the window are dropped. */
  write(position: number, samples: Int16Array): void {
    const to = Math.min(position + samples.length, this.end);
    for (let at = Math.max(position, this.#start); at < to;) {
      const offset = at % PAGE_SAMPLES;
      const count = Math.min(PAGE_SAMPLES - offset, to - at);
      this.#pageAt(at).set(samples.subarray(at - position, at - position + count), offset);
      at += count;
    }
  }

  /** Copies the samples from `position` on to `target`, which must be silent. */
  read(position: number, target: Int16Array): void {
    for (let done = 0; done < target.length;) {
      const offset = (position + done) % PAGE_SAMPLES;
      const count = Math.min(PAGE_SAMPLES - offset, target.length - done);
      const page = this.#pages.get((position + done - offset) / PAGE_SAMPLES);
      if (page) target.set(page.subarray(offset, offset + count), done);
      done += count;
    }
  }

  /** Moves the start of the window to `position`; audio before it must not be read again. */
  advance(position: number): void {
    if (position <= this.#start) return;
    const first = Math.floor(this.#start / PAGE_SAMPLES);
    this.#start = position;
    if (this.#pages.size === 0) return;
    const end = Math.floor(position / PAGE_SAMPLES);
    for (let index = first; index < end; index += 1) this.#release(index);
  }

  /** Drops all samples. */
  clear(): void {
    for (const index of this.#pages.keys()) this.#release(index);
  }

  #pageAt(position: number): Int16Array {
    const index = Math.floor(position / PAGE_SAMPLES);
    let page = this.#pages.get(index);
    if (!page) {
      page = unused.pop()?.fill(0) ?? new Int16Array(PAGE_SAMPLES);
      this.#pages.set(index, page);
    }
    return page;
  }

  #release(index: number): void {
    const page = this.#pages.get(index);
    if (!page) return;
    this.#pages.delete(index);
    if (unused.length < MAX_UNUSED_PAGES) unused.push(page);
  }
}
