import { DTMF_KEYPAD, HIGH_GROUP_HZ, LOW_GROUP_HZ } from './dtmf-tones.ts';

/** Of the mean values of consecutive samples. */
const RATE_HZ = 8000;
/** 12.75 ms: the main lobe of each frequency ends before the next frequency of its group. */
const BLOCK_SAMPLES = 102;
/** Each frequency of the pair has at least -28 dBm0 (Q.24 requires -24 to -29 dBm, depending on the country). */
const MIN_AMPLITUDE = 32_767 * 10 ** ((-28 - 3.14) / 20);
/** The high group is at most 5 dB louder than the low group, and at most 9 dB quieter. */
const MAX_HIGH_TO_LOW = 10 ** 0.5;
const MAX_LOW_TO_HIGH = 10 ** 0.9;
/** How much louder a frequency is than the others of its group: 8 dB. */
const MIN_PEAK = 10 ** 0.8;
/** Share of the power of a block that the pair has. Speech spreads over its harmonics. */
const MIN_SHARE = 0.75;
/** Consecutive blocks with the same key before it counts. Three blocks also occur in speech. */
const MIN_BLOCKS = 4;
/** Consecutive blocks without the key after which it counts as released. */
const END_BLOCKS = 2;

const GROUPS = [LOW_GROUP_HZ, HIGH_GROUP_HZ].map((group) =>
  group.map((frequencyHz) => 2 * Math.cos((2 * Math.PI * frequencyHz) / RATE_HZ)),
);

/** Finds DTMF keys of 65 ms or longer in the audio of one caller. The rate is a multiple of 8 kHz. */
export class DtmfDetector {
  readonly #onKey: (key: string) => void;
  readonly #step: number;
  readonly #block = new Float64Array(BLOCK_SAMPLES);
  #filled = 0;
  #sum = 0;
  #summed = 0;
  #candidate: string | null = null;
  #blocks = 0;
  #pressed: string | null = null;
  #absent = 0;

  /** `onKey` is called once for each key, while its tone lasts. */
  constructor(sampleRateHz: number, onKey: (key: string) => void) {
    this.#onKey = onKey;
    this.#step = Math.round(sampleRateHz / RATE_HZ);
  }

  push(samples: Int16Array): void {
    for (const sample of samples) {
      this.#sum += sample;
      this.#summed += 1;
      if (this.#summed < this.#step) continue;
      this.#block[this.#filled] = this.#sum / this.#step;
      this.#sum = 0;
      this.#summed = 0;
      this.#filled += 1;
      if (this.#filled < BLOCK_SAMPLES) continue;
      this.#filled = 0;
      this.#observe(keyOf(this.#block));
    }
  }

  #observe(key: string | null): void {
    this.#blocks = key === this.#candidate ? this.#blocks + 1 : 1;
    this.#candidate = key;
    if (key !== this.#pressed) this.#absent += 1;
    else this.#absent = 0;
    if (this.#absent >= END_BLOCKS) this.#pressed = null;
    if (key === null || key === this.#pressed || this.#blocks < MIN_BLOCKS) return;
    this.#pressed = key;
    this.#absent = 0;
    this.#onKey(key);
  }
}

/** The key of a block; null if it has none. */
function keyOf(block: Float64Array): string | null {
  const energy = block.reduce((sum, value) => sum + value * value, 0);
  const [low, high] = GROUPS.map((group) => strongest(block, group));
  if (!low || !high) return null;
  const min = (MIN_AMPLITUDE * BLOCK_SAMPLES) ** 2 / 4;
  if (low.power < min || high.power < min) return null;
  if (high.power > low.power * MAX_HIGH_TO_LOW || low.power > high.power * MAX_LOW_TO_HIGH) return null;
  const share = (2 * (low.power + high.power)) / (BLOCK_SAMPLES * energy);
  return share < MIN_SHARE ? null : (DTMF_KEYPAD[low.index]?.charAt(high.index) ?? null);
}

interface Tone {
  index: number;
  power: number;
}

/** The frequency that is louder than the others of its group; null if none is. */
function strongest(block: Float64Array, coefficients: readonly number[]): Tone | null {
  const powers = coefficients.map((coefficient) => goertzel(block, coefficient));
  const power = Math.max(...powers);
  const index = powers.indexOf(power);
  return powers.every((other, i) => i === index || other * MIN_PEAK < power) ? { index, power } : null;
}

function goertzel(block: Float64Array, coefficient: number): number {
  let one = 0;
  let two = 0;
  for (const value of block) {
    const next = value + coefficient * one - two;
    two = one;
    one = next;
  }
  return one * one + two * two - coefficient * one * two;
}
