import { samplesFromMs } from '@calls/audio/pcm';
import type { SampleFilter } from '../program/program-sentence.ts';

/** Lowers the volume by 5 dB, to the level of espeak-ng's default voice. */
const GAIN = 10 ** (-5 / 20);
/** Samples up to this magnitude (-56 dBFS) are silence. */
const SILENCE = 50;
/** Silence that stays before and after the speech. */
const MARGIN_MS = 20;

/** Adapts the level, and removes the silence of about 0.2 s with which flite begins and ends. */
export class LevelNormalizer implements SampleFilter {
  #hasStarted = false;
  /** Silence that is removed if no speech follows. */
  #held = new Int16Array(0);

  push(samples: Int16Array, sampleRateHz: number): Int16Array {
    const marginSamples = samplesFromMs(MARGIN_MS, sampleRateHz);
    const all = new Int16Array(this.#held.length + samples.length);
    all.set(this.#held);
    all.set(
      samples.map((sample) => Math.round(sample * GAIN)),
      this.#held.length,
    );
    const isSpeech = (sample: number): boolean => Math.abs(sample) > SILENCE;
    const lastLoud = all.findLastIndex(isSpeech);
    if (lastLoud < 0) {
      this.#held = this.#hasStarted ? all : all.slice(-marginSamples);
      return new Int16Array(0);
    }
    const from = this.#hasStarted ? 0 : Math.max(0, all.findIndex(isSpeech) - marginSamples);
    const to = Math.min(all.length, lastLoud + 1 + marginSamples);
    this.#hasStarted = true;
    this.#held = all.slice(to);
    return all.subarray(from, to);
  }
}
