import { createResampler, type Resampler } from '@calls/audio/resampler';
import { RECORDING_SAMPLE_RATE_HZ } from '../ports/recordings.ts';
import { SampleTimeline } from './sample-timeline.ts';

const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;
/** Audio that starts this close to the end of the previous audio continues it. */
const SEAMLESS_MS = 1;

/** Contiguous audio. */
interface Run {
  /** Position of the resampler's next sample. */
  next: number;
  endMs: number;
}

/** A track of audio with exact times, at any rate, in chronological order. */
export class PlaybackTrack {
  readonly #samples: SampleTimeline;
  readonly #resampler: Resampler;
  #run: Run | null = null;

  /** `start`: the first position that is rendered. */
  constructor(inputRateHz: number, capacitySamples: number, start = 0) {
    this.#samples = new SampleTimeline(capacitySamples);
    this.#samples.advance(start);
    this.#resampler = createResampler(inputRateHz, RECORDING_SAMPLE_RATE_HZ);
  }

  /** Adds audio that started to play at `startMs`. */
  push(samples: Int16Array, startMs: number): void {
    if (this.#run && Math.abs(startMs - this.#run.endMs) > SEAMLESS_MS) this.#endRun();
    const run = (this.#run ??= { next: Math.round(startMs * SAMPLES_PER_MS), endMs: startMs });
    this.#append(run, this.#resampler.process(samples));
    run.endMs = startMs + (samples.length * 1000) / this.#resampler.inputRateHz;
  }

  /** See ArrivalTrack.render. Audio that is late for its range is dropped. */
  render(from: number, target: Int16Array): void {
    const end = from + target.length;
    if (this.#run && this.#run.endMs * SAMPLES_PER_MS <= end) this.#endRun();
    this.#samples.read(from, target);
    this.#samples.advance(end);
  }

  close(): void {
    this.#run = null;
    this.#resampler.close();
    this.#samples.clear();
  }

  #append(run: Run, samples: Int16Array): void {
    this.#samples.write(run.next, samples);
    run.next += samples.length;
  }

  /** Flushes the last milliseconds of a run from the resampler. */
  #endRun(): void {
    if (this.#run) this.#append(this.#run, this.#resampler.flush());
    this.#run = null;
  }
}
