/** Pitch of voices: 66 to 200 Hz. */
const MIN_PERIOD_MS = 5;
const MAX_PERIOD_MS = 15;
/** What is compared to find the period. */
const WINDOW_MS = 10;
const FULL_MS = 10;
const SILENT_AFTER_MS = 60;
const BLEND_MS = 4;

/**
 * Makes up audio that was lost, for codecs that don't (G.711): the last pitch period goes on and fades out, and passes into what
 * comes next. After ITU-T G.711, Appendix I, without its delay.
 */
export class LossConcealment {
  readonly #perMs: number;
  /** What was heard last, oldest first. */
  readonly #history: Int16Array;
  #period = 0;
  /** Since what was received last; 0: nothing is lost. */
  #madeUp = 0;

  constructor(sampleRateHz: number) {
    this.#perMs = sampleRateHz / 1000;
    this.#history = new Int16Array((MAX_PERIOD_MS + WINDOW_MS) * this.#perMs);
  }

  /** Audio that came, or is known to be silence. Its beginning is changed where audio was made up before it. */
  received(samples: Int16Array): void {
    if (this.#madeUp > 0) this.#blend(samples);
    this.#madeUp = 0;
    const history = this.#history;
    const kept = samples.subarray(-history.length);
    history.copyWithin(0, kept.length);
    history.set(kept, history.length - kept.length);
  }

  /** What may have been in place of so many samples. */
  conceal(samples: number): Int16Array {
    return new Int16Array(samples).map(() => this.#next());
  }

  #next(): number {
    if (this.#madeUp === 0) this.#period = this.#findPeriod();
    const { length } = this.#history;
    const sample = this.#history[length - this.#period + (this.#madeUp % this.#period)] ?? 0;
    const ms = this.#madeUp / this.#perMs;
    this.#madeUp += 1;
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

  /** By how much what was heard last is most like what was before it. */
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
