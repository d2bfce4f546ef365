import { createResampler, type Resampler } from '@calls/audio/resampler';
import { RECORDING_SAMPLE_RATE_HZ } from '../ports/recordings.ts';
import { SampleTimeline } from './sample-timeline.ts';

const SAMPLES_PER_MS = RECORDING_SAMPLE_RATE_HZ / 1000;
/** Audio that begins this near to the end of what came before continues it. */
const SEAMLESS_MS = 1;

/** Audio without a gap. */
interface Run {
  /** Where the resampler's next sample goes. */
  next: number;
  endMs: number;
}

/** A track of audio whose time is known exactly; comes at any rate, in the order of time. */
export class PlaybackTrack {
  readonly #samples: SampleTimeline;
  readonly #resampler: Resampler;
  #run: Run | null = null;

  constructor(inputRateHz: number, capacitySamples: number) {
    this.#samples = new SampleTimeline(capacitySamples);
    this.#resampler = createResampler(inputRateHz, RECORDING_SAMPLE_RATE_HZ);
  }

  /** Takes audio that began to sound at `startMs`. */
  push(samples: Int16Array, startMs: number): void {
    if (this.#run && Math.abs(startMs - this.#run.endMs) > SEAMLESS_MS) this.#endRun();
    const run = (this.#run ??= { next: Math.round(startMs * SAMPLES_PER_MS), endMs: startMs });
    this.#append(run, this.#resampler.process(samples));
    run.endMs = startMs + (samples.length * 1000) / this.#resampler.inputRateHz;
  }

  /** As `ArrivalTrack.render`. What comes too late for its stretch is left out. */
  render(from: number, count: number, target: Int16Array, targetIndex: number, stride: number): void {
    const end = from + count;
    if (this.#run && this.#run.endMs * SAMPLES_PER_MS <= end) this.#endRun();
    this.#samples.read(from, count, target, targetIndex, stride);
    this.#samples.advance(end);
  }

  close(): void {
    this.#run = null;
    this.#resampler.close();
  }

  #append(run: Run, samples: Int16Array): void {
    this.#samples.write(run.next, samples);
    run.next += samples.length;
  }

  /** The last milliseconds of a run are still in the resampler. */
  #endRun(): void {
    if (this.#run) this.#append(this.#run, this.#resampler.flush());
    this.#run = null;
  }
}
