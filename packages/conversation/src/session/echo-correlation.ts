import { ECHO_DELAY_MS } from './played-transcript.ts';

/** Enough for the voice's fundamental and its first formant; keeps the search for the delay cheap. */
const SAMPLES_PER_MS = 2;
/** More than the time from a scrap to its transcript, and the way back of its echo. */
const TRACK_MS = 8192;
/** Echo cancellers leave scraps: what is longer or louder has words to judge by, and costs too much to compare. */
const MAX_SCRAP_MS = 300;
const MAX_SCRAP_DBFS = -45;
/** The two clocks differ by less. */
const CLOCK_ERROR_MS = 60;
/** Mean square of what counts as silence: about -70 dBFS. */
const SILENCE_POWER = 100;
const FULL_SCALE_POWER = 32_768 ** 2;

/** The last seconds of a sound, at a low rate, by call time. */
export class AudioHistory {
  readonly #samples = new Float32Array(TRACK_MS * SAMPLES_PER_MS);
  /** One past the newest sample. */
  #end = 0;

  /** Sound that began at `startMs`, in call time; it may leave gaps, and never comes before what was written. */
  write(samples: Int16Array, sampleRateHz: number, startMs: number): void {
    const step = (SAMPLES_PER_MS * 1000) / sampleRateHz;
    const from = startMs * SAMPLES_PER_MS;
    for (let i = 0; i < samples.length; i += 1) {
      const at = Math.floor(from + i * step);
      if (at < 0) continue;
      if (at >= this.#end) this.#clearUntil(at + 1);
      // Adds up: the filter in front of the lower rate is a mean, but for a constant factor.
      this.#samples[at % this.#samples.length] =
        (this.#samples[at % this.#samples.length] ?? 0) + (samples[i] ?? 0) * step;
    }
  }

  /** Silence where nothing was written, or no longer is. */
  read(startMs: number, endMs: number): Float32Array {
    const start = Math.round(startMs * SAMPLES_PER_MS);
    const read = new Float32Array(Math.max(0, Math.round(endMs * SAMPLES_PER_MS) - start));
    for (let i = 0; i < read.length; i += 1) {
      const at = start + i;
      if (at < 0 || at >= this.#end || at < this.#end - this.#samples.length) continue;
      read[i] = this.#samples[at % this.#samples.length] ?? 0;
    }
    return read;
  }

  #clearUntil(end: number): void {
    const from = Math.max(this.#end, end - this.#samples.length);
    for (let at = from; at < end; at += 1) this.#samples[at % this.#samples.length] = 0;
    this.#end = end;
  }
}

/**
 * How much a short and faint sound, from `startMs` to `endMs`, is a delayed copy of what was played, from 0 to 1. Null: the sound
 * is too long or too loud to be what an echo canceller leaves.
 */
export function echoCorrelation(
  heard: AudioHistory,
  played: AudioHistory,
  startMs: number,
  endMs: number,
): number | null {
  if (endMs - startMs > MAX_SCRAP_MS) return null;
  const scrap = heard.read(startMs, endMs);
  const power = scrap.reduce((sum, sample) => sum + sample * sample, 0);
  const levelDbfs = 10 * Math.log10(power / Math.max(1, scrap.length) / FULL_SCALE_POWER);
  if (power === 0 || levelDbfs > MAX_SCRAP_DBFS) return null;
  const source = played.read(startMs - ECHO_DELAY_MS, endMs + CLOCK_ERROR_MS);
  return bestCorrelation(whitened(scrap), whitened(source));
}

/** Its differences: slow movements are alike in all sounds. */
function whitened(samples: Float32Array): Float32Array {
  return samples.map((sample, i) => sample - (samples[i - 1] ?? sample));
}

/** Over all places in `source`. */
function bestCorrelation(scrap: Float32Array, source: Float32Array): number {
  const power = scrap.reduce((sum, sample) => sum + sample * sample, 0);
  let best = 0;
  let sourcePower = 0;
  for (let i = 0; i < scrap.length; i += 1) sourcePower += (source[i] ?? 0) ** 2;
  for (let lag = 0; lag + scrap.length <= source.length; lag += 1) {
    let product = 0;
    for (let i = 0; i < scrap.length; i += 1) product += (scrap[i] ?? 0) * (source[lag + i] ?? 0);
    if (sourcePower > SILENCE_POWER * scrap.length)
      best = Math.max(best, Math.abs(product) / Math.sqrt(power * sourcePower));
    sourcePower += (source[lag + scrap.length] ?? 0) ** 2 - (source[lag] ?? 0) ** 2;
  }
  return Math.min(1, best);
}
