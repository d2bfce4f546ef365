const RATE_HZ = 8000;
/** The input is 16 kHz; every second sample of its moving average is used. */
const DECIMATION = 2;
const BLOCK_SAMPLES = 256;
const HOP_SAMPLES = 128;
const HOP_MS = (HOP_SAMPLES * 1000) / RATE_HZ;
const BIN_HZ = RATE_HZ / BLOCK_SAMPLES;
const FIRST_BIN = Math.floor(600 / BIN_HZ);
const LAST_BIN = Math.ceil(2100 / BIN_HZ);
/** Blocks quieter than -45 dBFS have no beep. */
const MIN_POWER = 32_768 ** 2 * 10 ** -4.5;
/** Share of the power of a block in the strongest bin and its neighbours. Speech spreads over its harmonics. */
const MIN_TONALITY = 0.75;
const MAX_DRIFT_BINS = 1;
/** A beep is over after this many blocks without it. */
const END_BLOCKS = 3;
const MIN_BEEP_MS = 100;
const MAX_BEEP_MS = 2000;

const WINDOW = new Float64Array(BLOCK_SAMPLES).map(
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / BLOCK_SAMPLES),
);
/** Goertzel coefficients of the bins, with one more on both sides. */
const COEFFICIENTS = new Float64Array(LAST_BIN - FIRST_BIN + 3).map(
  (_, i) => 2 * Math.cos((2 * Math.PI * (FIRST_BIN - 1 + i)) / BLOCK_SAMPLES),
);

export interface Beep {
  durationMs: number;
  frequencyHz: number;
}

/**
 * Finds beeps: one stable tone of 600 to 2100 Hz that lasts 100 ms to 2 s. Takes the audio of one call at 16 kHz,
 * in order; allocates nothing per block.
 */
export class BeepDetector {
  readonly #onBeep: (beep: Beep) => void;
  readonly #block = new Float64Array(BLOCK_SAMPLES);
  readonly #windowed = new Float64Array(BLOCK_SAMPLES);
  readonly #powers = new Float64Array(COEFFICIENTS.length);
  #filled = 0;
  #previous: number | null = null;
  /** Index of the strongest bin of the current tone; null without one. */
  #tone: number | null = null;
  /** Blocks since the tone began, and since it was last present. */
  #blocks = 0;
  #absent = 0;

  /** `onBeep` is called once a beep has ended. */
  constructor(onBeep: (beep: Beep) => void) {
    this.#onBeep = onBeep;
  }

  push(samples: Int16Array): void {
    for (const sample of samples) {
      if (this.#previous === null) {
        this.#previous = sample;
        continue;
      }
      this.#block[this.#filled] = (this.#previous + sample) / DECIMATION;
      this.#previous = null;
      this.#filled += 1;
      if (this.#filled < BLOCK_SAMPLES) continue;
      this.#step(this.#strongestTone());
      this.#block.copyWithin(0, HOP_SAMPLES);
      this.#filled = BLOCK_SAMPLES - HOP_SAMPLES;
    }
  }

  #step(tone: number | null): void {
    if (this.#tone === null) {
      this.#begin(tone);
      return;
    }
    this.#blocks += 1;
    if (tone !== null && Math.abs(tone - this.#tone) <= MAX_DRIFT_BINS) {
      this.#absent = 0;
      return;
    }
    this.#absent += 1;
    // Another tone follows immediately: a melody, or a voice.
    if (tone === null && this.#absent < END_BLOCKS) return;
    const beep = { durationMs: this.#durationMs(), frequencyHz: this.#frequencyHz(this.#tone) };
    this.#begin(tone);
    if (tone === null && beep.durationMs >= MIN_BEEP_MS && beep.durationMs <= MAX_BEEP_MS) this.#onBeep(beep);
  }

  #begin(tone: number | null): void {
    this.#tone = tone;
    this.#blocks = 1;
    this.#absent = 0;
  }

  /** On average, the tone fills only half of its first and of its last block. */
  #durationMs(): number {
    return (this.#blocks - this.#absent) * HOP_MS;
  }

  #frequencyHz(tone: number): number {
    return Math.round((FIRST_BIN - 1 + tone) * BIN_HZ);
  }

  /** Index in COEFFICIENTS of the tone that makes up the block; null if there is none. */
  #strongestTone(): number | null {
    let energy = 0;
    for (let i = 0; i < BLOCK_SAMPLES; i += 1) {
      const value = (this.#block[i] ?? 0) * (WINDOW[i] ?? 0);
      this.#windowed[i] = value;
      energy += value * value;
    }
    // The window takes 3/8 of the power.
    if (energy < (MIN_POWER * BLOCK_SAMPLES * 3) / 8) return null;
    let best = 1;
    for (let bin = 0; bin < COEFFICIENTS.length; bin += 1) {
      this.#powers[bin] = this.#goertzel(COEFFICIENTS[bin] ?? 0);
      const isInside = bin > 0 && bin < COEFFICIENTS.length - 1;
      if (isInside && (this.#powers[bin] ?? 0) > (this.#powers[best] ?? 0)) best = bin;
    }
    const inTone = (this.#powers[best - 1] ?? 0) + (this.#powers[best] ?? 0) + (this.#powers[best + 1] ?? 0);
    return (2 * inTone) / (BLOCK_SAMPLES * energy) >= MIN_TONALITY ? best : null;
  }

  #goertzel(coefficient: number): number {
    let one = 0;
    let two = 0;
    for (let i = 0; i < BLOCK_SAMPLES; i += 1) {
      const next = (this.#windowed[i] ?? 0) + coefficient * one - two;
      two = one;
      one = next;
    }
    return one * one + two * two - coefficient * one * two;
  }
}
