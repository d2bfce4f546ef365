import { createResampler, type Resampler } from '@calls/audio/resampler';
import type { AudioTap } from './playout.ts';

/** A source of audio in a mixer's output. */
export interface MixerSource {
  /** Adds the next samples to `sum`; fewer if there are no more. `startMs`: when they are played. */
  addTo(sum: Int32Array, count: number, startMs: number): void;
  /** The last `count` samples were mixed but not played: they are mixed again. */
  rewind(count: number): void;
}

export interface LiveInputOptions {
  inputRateHz: number;
  outputRateHz: number;
  /** Audio that waits to be mixed; the oldest beyond it is dropped. */
  capacityMs: number;
  /** Audio collected before playback starts, against the jitter of its arrival. */
  startMs: number;
  /** Mixed audio of the last milliseconds, which can be mixed again. */
  rewindMs: number;
  /** Receives this input's part of the output, with the time at which it is played. */
  onFrame: AudioTap | null;
}

/** Buffers audio of a live source until it is mixed into an output. */
export class LiveInput implements MixerSource {
  readonly #options: LiveInputOptions;
  readonly #resampler: Resampler;
  readonly #samplesPerMs: number;
  readonly #capacity: number;
  readonly #rewindable: number;
  /** Mixed audio from `#first` to `#next`, then waiting audio to `#end`. */
  readonly #samples: Int16Array;
  #first = 0;
  #next = 0;
  #end = 0;
  /** Samples from `#next` on that `onFrame` has received before. */
  #reported = 0;
  #isPlaying = false;
  #closed = false;

  constructor(options: LiveInputOptions) {
    this.#options = options;
    const { inputRateHz, outputRateHz, capacityMs, rewindMs } = options;
    this.#resampler = createResampler(inputRateHz, outputRateHz);
    this.#samplesPerMs = outputRateHz / 1000;
    this.#capacity = Math.round(capacityMs * this.#samplesPerMs);
    this.#rewindable = Math.ceil(rewindMs * this.#samplesPerMs);
    this.#samples = new Int16Array(this.#rewindable + 2 * this.#capacity);
  }

  /** Number of samples that wait to be mixed. */
  get waiting(): number {
    return this.#end - this.#next;
  }

  /** Adds audio at the input rate. Does not retain it. Ignored after `close`. */
  push(samples: Int16Array): void {
    if (this.#closed) return;
    const added = this.#resampler.process(samples).subarray(-this.#capacity);
    const excess = this.waiting + added.length - this.#capacity;
    if (excess > 0) this.#drop(excess);
    if (this.#end + added.length > this.#samples.length) this.#compact();
    this.#samples.set(added, this.#end);
    this.#end += added.length;
  }

  /** Whether enough audio has arrived to mix the next `count` samples, which will be played in `aheadMs`. */
  isReady(count: number, aheadMs: number): boolean {
    const needed = this.#isPlaying && aheadMs > 0 ? 0 : this.#neededToStart(count, aheadMs);
    return this.waiting >= Math.max(count, needed);
  }

  /** Whether the input is playing but lacks audio for the next `count` samples. */
  isLate(count: number): boolean {
    return this.#isPlaying && this.waiting < count;
  }

  /** Starts or stops playback, depending on `isReady`. Call it before `addTo`. */
  schedule(count: number, aheadMs: number): void {
    const isReady = this.isReady(count, aheadMs);
    if (this.#isPlaying && !isReady) this.#first = this.#next;
    this.#isPlaying = isReady;
  }

  addTo(sum: Int32Array, count: number, startMs: number): void {
    if (!this.#isPlaying) return;
    const taken = Math.min(count, this.waiting);
    const samples = this.#samples;
    for (let i = 0, at = this.#next; i < taken; i += 1, at += 1) sum[i] = (sum[i] ?? 0) + (samples[at] ?? 0);
    this.#report(taken, startMs);
    this.#next += taken;
  }

  rewind(count: number): void {
    const from = Math.max(this.#first, this.#next - Math.min(count, this.#rewindable));
    this.#reported += this.#next - from;
    this.#next = from;
  }

  /** Drops the waiting audio. */
  clear(): void {
    this.#drop(this.waiting);
  }

  /** Idempotent. */
  close(): void {
    this.clear();
    this.#closed = true;
    this.#resampler.close();
  }

  #neededToStart(count: number, aheadMs: number): number {
    const needed = (this.#options.startMs - aheadMs) * this.#samplesPerMs;
    // Among other audio, a frame cannot wait until the moment at which it is played.
    return aheadMs > 0 ? needed + count : needed;
  }

  #report(count: number, startMs: number): void {
    const known = Math.min(this.#reported, count);
    this.#reported -= known;
    if (known < count)
      this.#options.onFrame?.(
        this.#samples.subarray(this.#next + known, this.#next + count),
        startMs + known / this.#samplesPerMs,
      );
  }

  #drop(count: number): void {
    this.#next += count;
    this.#first = this.#next;
    this.#reported = Math.max(0, this.#reported - count);
  }

  #compact(): void {
    const from = Math.max(this.#first, this.#next - this.#rewindable);
    this.#samples.copyWithin(0, from, this.#end);
    this.#first = 0;
    this.#next -= from;
    this.#end -= from;
  }
}
