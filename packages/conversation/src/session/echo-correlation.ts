import { ECHO_DELAY_MS } from './played-transcript.ts';

/** 2 kHz: covers the fundamental and the first formant of a voice, and keeps the search for the delay cheap. */
const SAMPLES_PER_MS = 2;
/** Covers the time from an utterance to its transcript plus the echo delay. */
const TRACK_MS = 8192;
/** What an echo canceller leaves of an echo is shorter and softer than this. EchoDetector finds other echoes. */
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
 * The similarity (0 to 1) between an utterance and a delayed copy of what was played. Null if it is too long or too loud
 * for what an echo canceller leaves.
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
  return bestMatch(whitened(residue), whitened(source)).correlation;
}

/** Longer than a syllable, so that it does not match the agent's voice by chance. */
const STRETCH_MS = 256;
/**
 * Correlation above which a stretch is an echo. If the user speaks over an echo, only stretches where the user is
 * softer than the echo exceed it.
 */
const MIN_MATCH = 0.7;
/** Minimum length of the sound: a click of a few samples matches any other click. */
const MIN_SAMPLES_OF_SOUND = 16;
/** Interval between searches for the delay, each of which takes 0.5 ms. It doubles after each failure. */
const SEARCH_EVERY_MS = { least: 64, most: 1024 };
/** After this time without speech over the agent, an echo is as likely as at first, so the interval is reset. */
const NEW_SPEECH_MS = 500;
/** Network both ways, client buffers and the room, without the error of word timings that ECHO_DELAY_MS includes. */
export const MAX_ECHO_DELAY_MS = 600;
/** Only this much of an utterance is compared. */
const MAX_COMPARED_MS = 2000;
/** A delay may be wrong by a period of the voice, which is similar to itself at that distance. */
const MAX_DELAY_ERROR_MS = 12;
/** Tolerance of a known delay. */
const MAX_SHIFT_MS = 2;

/** Recognizes the agent's voice in the user's audio, at any delay of up to MAX_ECHO_DELAY_MS. */
export class EchoDetector {
  readonly #captured: AudioHistory;
  readonly #played: AudioHistory;
  /** Delay of the last echo that was found. */
  #delayMs: number | null = null;
  #askedAtMs = -Infinity;
  #searchedAtMs = -Infinity;
  #searchEveryMs = SEARCH_EVERY_MS.least;

  constructor(captured: AudioHistory, played: AudioHistory) {
    this.#captured = captured;
    this.#played = played;
  }

  /** Whether the captured audio up to `endMs`, in call time, is mostly an echo. */
  isEcho(endMs: number): boolean {
    if (endMs - this.#askedAtMs > NEW_SPEECH_MS) this.#searchEveryMs = SEARCH_EVERY_MS.least;
    this.#askedAtMs = endMs;
    const startMs = endMs - STRETCH_MS;
    const captured = whitened(this.#captured.read(startMs, endMs));
    if (samplesOfSound(captured) < MIN_SAMPLES_OF_SOUND) return false;
    const known = this.#delayMs;
    if (known !== null && this.#isFound(captured, startMs, known - MAX_SHIFT_MS, known + MAX_SHIFT_MS))
      return true;
    if (endMs - this.#searchedAtMs < this.#searchEveryMs) return false;
    this.#searchedAtMs = endMs;
    const isFound = this.#isFound(captured, startMs, -CLOCK_ERROR_MS, MAX_ECHO_DELAY_MS);
    const { least, most } = SEARCH_EVERY_MS;
    this.#searchEveryMs = isFound ? least : Math.min(most, 2 * this.#searchEveryMs);
    return isFound;
  }

  /**
   * The similarity (0 to 1) between captured audio and what was played, at the delay of an echo that was found before.
   * Null if none was found, or if nothing was played.
   */
  similarity(startMs: number, endMs: number): number | null {
    const known = this.#delayMs;
    if (known === null) return null;
    const captured = whitened(this.#captured.read(Math.max(startMs, endMs - MAX_COMPARED_MS), endMs));
    const fromMs = endMs - captured.length / SAMPLES_PER_MS;
    const source = whitened(
      this.#played.read(fromMs - known - MAX_DELAY_ERROR_MS, endMs - known + MAX_DELAY_ERROR_MS),
    );
    return source.every((sample) => sample === 0) ? null : bestMatch(captured, source).correlation;
  }

  /** Searches what was played between these delays. */
  #isFound(captured: Float32Array, startMs: number, leastMs: number, mostMs: number): boolean {
    const source = whitened(this.#played.read(startMs - mostMs, startMs - leastMs + STRETCH_MS));
    if (source.every((sample) => sample === 0)) return false;
    const { correlation, lag } = bestMatch(captured, source);
    if (correlation < MIN_MATCH) return false;
    this.#delayMs = mostMs - lag / SAMPLES_PER_MS;
    return true;
  }
}

/** Over how many samples the energy is spread (participation ratio); 0 for silence. */
function samplesOfSound(samples: Float32Array): number {
  let [squares, fourths] = [0, 0];
  for (const sample of samples) {
    squares += sample ** 2;
    fourths += sample ** 4;
  }
  return fourths === 0 ? 0 : squares ** 2 / fourths;
}

/** First differences: low frequencies are alike in all signals. */
function whitened(samples: Float32Array): Float32Array {
  return samples.map((sample, i) => sample - (samples[i - 1] ?? sample));
}

/** Sum of products. Four sums at a time, as each addition waits for the one before. */
function productAt(residue: Float32Array, source: Float32Array, lag: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < residue.length; i += 4) {
    a += (residue[i] ?? 0) * (source[lag + i] ?? 0);
    b += (residue[i + 1] ?? 0) * (source[lag + i + 1] ?? 0);
    c += (residue[i + 2] ?? 0) * (source[lag + i + 2] ?? 0);
    d += (residue[i + 3] ?? 0) * (source[lag + i + 3] ?? 0);
  }
  return a + b + c + d;
}

/** The best normalized correlation over all lags, which are positions in `source`. */
function bestMatch(residue: Float32Array, source: Float32Array): { correlation: number; lag: number } {
  const power = residue.reduce((sum, sample) => sum + sample * sample, 0);
  let best = { correlation: 0, lag: 0 };
  let sourcePower = 0;
  for (let i = 0; i < residue.length; i += 1) sourcePower += (source[i] ?? 0) ** 2;
  for (let lag = 0; lag + residue.length <= source.length; lag += 1) {
    const product = productAt(residue, source, lag);
    const correlation = Math.min(1, Math.abs(product) / Math.sqrt(power * sourcePower));
    if (sourcePower > SILENCE_POWER * residue.length && correlation > best.correlation)
      best = { correlation, lag };
    sourcePower += (source[lag + residue.length] ?? 0) ** 2 - (source[lag] ?? 0) ** 2;
  }
  return best;
}
