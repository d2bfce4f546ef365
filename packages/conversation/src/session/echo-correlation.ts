import { ECHO_DELAY_MS } from './played-transcript.ts';

/** 2 kHz: covers the fundamental and the first formant of a voice, and keeps the search for the delay cheap. */
const SAMPLES_PER_MS = 2;
/** Covers the time from an utterance to its transcript plus the echo delay. */
const TRACK_MS = 8192;
/**
 * Residual echo is short and faint. Longer or louder audio is judged by its transcript and is too expensive to
 * correlate.
 */
const MAX_RESIDUE_MS = 300;
const MAX_RESIDUE_DBFS = -45;
/** Upper bound of the difference between the two clocks. */
const CLOCK_ERROR_MS = 60;
/** Mean square below which audio counts as silence: about -70 dBFS. */
const SILENCE_POWER = 100;
const FULL_SCALE_POWER = 32_768 ** 2;

/** The last seconds of an audio signal at a low sample rate, indexed by call time. */
export class AudioHistory {
  readonly #samples = new Int16Array(TRACK_MS * SAMPLES_PER_MS);
  /** Index after the newest sample. */
  #end = 0;

  /**
   * Writes up to 8 s of audio that started at `startMs`, in call time. Gaps are allowed; audio must not start before
   * what was written. Averages before decimation, as a low-pass filter.
   */
  write(samples: Int16Array, sampleRateHz: number, startMs: number): void {
    const track = this.#samples;
    const perSample = sampleRateHz / (SAMPLES_PER_MS * 1000);
    const from = startMs * SAMPLES_PER_MS;
    this.#clearUntil(Math.floor(from + (samples.length - 1) / perSample) + 1);
    let at = Math.floor(from);
    for (let i = 0; i < samples.length; at += 1) {
      const end = Math.min(samples.length, Math.ceil((at + 1 - from) * perSample));
      let sum = 0;
      for (; i < end; i += 1) sum += samples[i] ?? 0;
      if (at < 0) continue;
      // Two frames may share a sample.
      const index = at % track.length;
      track[index] = (track[index] ?? 0) + Math.round(sum / perSample);
    }
  }

  /** Returns silence for times without audio. */
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
    this.#end = Math.max(this.#end, end);
  }
}

/**
 * The similarity (0 to 1) between captured audio and a delayed copy of what was played. Null if the audio is
 * too long or too loud to be residual echo.
 */
export function echoCorrelation(
  captured: AudioHistory,
  played: AudioHistory,
  startMs: number,
  endMs: number,
): number | null {
  if (endMs - startMs > MAX_RESIDUE_MS) return null;
  const residue = captured.read(startMs, endMs);
  const power = residue.reduce((sum, sample) => sum + sample * sample, 0);
  const levelDbfs = 10 * Math.log10(power / Math.max(1, residue.length) / FULL_SCALE_POWER);
  if (power === 0 || levelDbfs > MAX_RESIDUE_DBFS) return null;
  const source = played.read(startMs - ECHO_DELAY_MS, endMs + CLOCK_ERROR_MS);
  return bestCorrelation(whitened(residue), whitened(source));
}

/** First differences: low frequencies are alike in all signals. */
function whitened(samples: Float32Array): Float32Array {
  return samples.map((sample, i) => sample - (samples[i - 1] ?? sample));
}

/** Best normalized correlation over all lags. */
function bestCorrelation(residue: Float32Array, source: Float32Array): number {
  const power = residue.reduce((sum, sample) => sum + sample * sample, 0);
  let best = 0;
  let sourcePower = 0;
  for (let i = 0; i < residue.length; i += 1) sourcePower += (source[i] ?? 0) ** 2;
  for (let lag = 0; lag + residue.length <= source.length; lag += 1) {
    let product = 0;
    for (let i = 0; i < residue.length; i += 1) product += (residue[i] ?? 0) * (source[lag + i] ?? 0);
    if (sourcePower > SILENCE_POWER * residue.length)
      best = Math.max(best, Math.abs(product) / Math.sqrt(power * sourcePower));
    sourcePower += (source[lag + residue.length] ?? 0) ** 2 - (source[lag] ?? 0) ** 2;
  }
  return Math.min(1, best);
}
