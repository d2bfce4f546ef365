/** Pitch of voices: 66 to 200 Hz. */
const MIN_PERIOD_MS = 5;
const MAX_PERIOD_MS = 15;
/** Length of the audio compared to find the period. */
const WINDOW_MS = 10;
const FULL_MS = 10;
const SILENT_AFTER_MS = 60;
const BLEND_MS = 4;

/**
 * Conceals lost audio for codecs without concealment (G.711): repeats and fades out the last pitch period, then
 * crossfades to the next audio. After ITU-T G.711, Appendix I, without its delay.
 */
export class LossConcealment {
  readonly #perMs: number;
  /** The last audio, oldest sample first. */
  readonly #history: Int16Array;
  #period = 0;
  /** Samples concealed since the last received audio; 0: nothing is lost. */
  #concealed = 0;

  constructor(sampleRateHz: number) {
    this.#perMs = sampleRateHz / 1000;
    this.#history = new Int16Array((MAX_PERIOD_MS + WINDOW_MS) * this.#perMs);
  }

  /** Adds received audio, or known silence. Its beginning is modified if concealed audio precedes it. */
  received(samples: Int16Array): void {
    if (this.#concealed > 0) this.#blend(samples);
    this.#concealed = 0;
    const history = this.#history;
    const newest = samples.subarray(-history.length);
    history.copyWithin(0, newest.length);
    history.set(newest, history.length - newest.length);
  }

  /** Returns concealment audio of this many samples. */
  conceal(samples: number): Int16Array {
    return new Int16Array(samples).map(() => this.#next());
  }

  #next(): number {
    if (this.#concealed === 0) this.#period = this.#findPeriod();
    const { length } = this.#history;
    const sample = this.#history[length - this.#period + (this.#concealed % this.#period)] ?? 0;
    const ms = this.#concealed / this.#perMs;
    this.#concealed += 1;
    const gain = (SILENT_AFTER_MS - ms) / (SILENT_AFTER_MS - FULL_MS);
    return Math.round(sample * Math.min(1, Math.max(0, gain)));
  }

  #blend(samples: Int16Array): void {
    const count = Math.min(samples.length, BLEND_MS * this.#perMs);
    for (let i = 0; i < count; i += 1) {
      const share = (i + 1) / (count + 1);
      samples[i] = Math.round((samples[i] ?? 0) * share + this.#next() * (1 - share));
    }
  }

  /** The lag with the highest correlation to earlier audio: the pitch period. */
  #findPeriod(): number {
    const history = this.#history;
    const begin = history.length - WINDOW_MS * this.#perMs;
    let best = MIN_PERIOD_MS * this.#perMs;
    let bestLikeness = -Infinity;
    for (let lag = best; lag <= MAX_PERIOD_MS * this.#perMs; lag += 1) {
      let product = 0;
      let energy = 1;
      for (let i = begin; i < history.length; i += 1) {
        const earlier = history[i - lag] ?? 0;
        product += (history[i] ?? 0) * earlier;
        energy += earlier * earlier;
      }
      const likeness = product / Math.sqrt(energy);
      if (likeness > bestLikeness) {
        best = lag;
        bestLikeness = likeness;
      }
    }
    return best;
  }
}
