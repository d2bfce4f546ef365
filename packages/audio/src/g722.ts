import {
  HIGH_CODES,
  HIGH_LOG_STEPS,
  HIGH_STEP_INDEX,
  HIGH_VALUES,
  INVERSE_LOG,
  LOW_CODES_NEGATIVE,
  LOW_CODES_POSITIVE,
  LOW_LEVELS,
  LOW_LOG_STEPS,
  LOW_STEP_INDEX,
  LOW_VALUES_4_BIT,
  LOW_VALUES_6_BIT,
  QMF,
} from './g722-tables.ts';

/**
 * ITU-T G.722 at 64 kbit/s: two samples at 16 kHz per byte. A quadrature mirror filter splits the audio into two bands
 * of 8 kHz; each is coded by adaptive differential PCM, the lower with 6 bits and the upper with 2.
 */
export const G722_RATE_HZ = 16_000;

const QMF_TAPS = QMF.length;
const ZEROS = 6;
const HIGH_THRESHOLD = 564;
/** Largest logarithmic scale factor of each band. */
const MAX_LOW_LOG = 18_432;
const MAX_HIGH_LOG = 22_528;
const LOW_LOG_SHIFT = 8;
const HIGH_LOG_SHIFT = 10;
const LOWER_BAND_MIN = -16_384;
const LOWER_BAND_MAX = 16_383;

/** The predictor and the quantizer's scale factor of one band, the same in encoder and decoder. */
class Band {
  /** Prediction of the next sample. */
  estimate = 0;
  scale: number;
  #log = 0;
  #zeroPart = 0;
  /** Poles: coefficients, the last two outputs, and the last two partial outputs. */
  #pole1 = 0;
  #pole2 = 0;
  #output1 = 0;
  #output2 = 0;
  #partial1 = 0;
  #partial2 = 0;
  /** Zeros: coefficients, and the last differences, newest first. */
  readonly #zeros = new Int32Array(ZEROS);
  readonly #differences = new Int32Array(ZEROS);

  constructor(scale: number) {
    this.scale = scale;
  }

  /** Adapts the scale factor to a quantized difference (G.722, LOGSCL and SCALEL, or LOGSCH and SCALEH). */
  adaptScale(logStep: number, maxLog: number, shift: number): void {
    this.#log = Math.min(maxLog, Math.max(0, ((this.#log * 127) >> 7) + logStep));
    const mantissa = INVERSE_LOG[(this.#log >> 6) & 31] ?? 0;
    const right = shift - (this.#log >> 11);
    this.scale = (right < 0 ? mantissa << -right : mantissa >> right) << 2;
  }

  /** Adapts the predictor to a quantized difference, and predicts the next sample. */
  adaptPredictor(difference: number): void {
    const output = saturate(this.estimate + difference);
    const partial = saturate(this.#zeroPart + difference);
    this.#adaptPoles(partial);
    this.#adaptZeros(difference);
    this.#output2 = this.#output1;
    this.#output1 = output;
    this.#partial2 = this.#partial1;
    this.#partial1 = partial;
    this.#predict();
  }

  #adaptPoles(partial: number): void {
    const sign = partial >> 15;
    const isSame1 = sign === this.#partial1 >> 15;
    const isSame2 = sign === this.#partial2 >> 15;
    const quadruple = saturate(this.#pole1 << 2);
    const correlation = Math.min(32_767, isSame1 ? -quadruple : quadruple) >> 7;
    const second = correlation + (isSame2 ? 128 : -128) + ((this.#pole2 * 32_512) >> 15);
    const pole2 = Math.min(12_288, Math.max(-12_288, second));
    const first = saturate((isSame1 ? 192 : -192) + ((this.#pole1 * 32_640) >> 15));
    const limit = saturate(15_360 - pole2);
    this.#pole1 = Math.min(limit, Math.max(-limit, first));
    this.#pole2 = pole2;
  }

  #adaptZeros(difference: number): void {
    const step = difference === 0 ? 0 : 128;
    const sign = difference >> 15;
    for (let i = 0; i < ZEROS; i += 1) {
      const signed = (this.#differences[i] ?? 0) >> 15 === sign ? step : -step;
      this.#zeros[i] = saturate(signed + (((this.#zeros[i] ?? 0) * 32_640) >> 15));
    }
    for (let i = ZEROS - 1; i > 0; i -= 1) this.#differences[i] = this.#differences[i - 1] ?? 0;
    this.#differences[0] = difference;
  }

  #predict(): void {
    const polePart = saturate(
      ((this.#pole1 * saturate(2 * this.#output1)) >> 15) +
        ((this.#pole2 * saturate(2 * this.#output2)) >> 15),
    );
    let zeroPart = 0;
    for (let i = 0; i < ZEROS; i += 1)
      zeroPart += ((this.#zeros[i] ?? 0) * saturate(2 * (this.#differences[i] ?? 0))) >> 15;
    this.#zeroPart = saturate(zeroPart);
    this.estimate = saturate(polePart + this.#zeroPart);
  }
}

/** Both bands of one direction. */
class Bands {
  readonly low = new Band(32);
  readonly high = new Band(8);

  /** Updates both bands with the code of one pair of samples. */
  adapt(lowCode: number, highCode: number): void {
    const low4 = lowCode >> 2;
    const lowDifference = (this.low.scale * (LOW_VALUES_4_BIT[low4] ?? 0)) >> 15;
    this.low.adaptScale(LOW_LOG_STEPS[LOW_STEP_INDEX[low4] ?? 0] ?? 0, MAX_LOW_LOG, LOW_LOG_SHIFT);
    this.low.adaptPredictor(lowDifference);
    const highDifference = (this.high.scale * (HIGH_VALUES[highCode] ?? 0)) >> 15;
    this.high.adaptScale(HIGH_LOG_STEPS[HIGH_STEP_INDEX[highCode] ?? 0] ?? 0, MAX_HIGH_LOG, HIGH_LOG_SHIFT);
    this.high.adaptPredictor(highDifference);
  }
}

/** The quadrature mirror filter. Its last input is twice in memory, so that it is contiguous at every position. */
class MirrorFilter {
  readonly #history = new Int32Array(2 * QMF_TAPS);
  #at = 0;
  /** Sums over the even and the odd taps. */
  even = 0;
  odd = 0;

  push(first: number, second: number): void {
    const history = this.#history;
    const at = this.#at;
    history[at] = history[at + QMF_TAPS] = first;
    history[at + 1] = history[at + 1 + QMF_TAPS] = second;
    const start = (this.#at = at + 2 === QMF_TAPS ? 0 : at + 2);
    let even = 0;
    let odd = 0;
    for (let tap = 0; tap < QMF_TAPS; tap += 2) {
      even += (history[start + tap] ?? 0) * (QMF[tap] ?? 0);
      odd += (history[start + tap + 1] ?? 0) * (QMF[tap + 1] ?? 0);
    }
    this.even = even;
    this.odd = odd;
  }
}

/** Encodes one stream. */
export class G722Encoder {
  readonly #bands = new Bands();
  readonly #filter = new MirrorFilter();

  /** Takes an even number of samples; the last of an odd number is ignored. */
  encode(samples: Int16Array): Uint8Array {
    const codes = new Uint8Array(samples.length >> 1);
    const filter = this.#filter;
    for (let i = 0; i < codes.length; i += 1) {
      filter.push(samples[2 * i] ?? 0, samples[2 * i + 1] ?? 0);
      codes[i] = this.#encodePair((filter.odd + filter.even) >> 14, (filter.odd - filter.even) >> 14);
    }
    return codes;
  }

  #encodePair(lowSample: number, highSample: number): number {
    const { low, high } = this.#bands;
    const lowCode = lowCodeOf(saturate(lowSample - low.estimate), low.scale);
    const highCode = highCodeOf(saturate(highSample - high.estimate), high.scale);
    this.#bands.adapt(lowCode, highCode);
    return (highCode << 6) | lowCode;
  }
}

/** Decodes one stream. */
export class G722Decoder {
  readonly #bands = new Bands();
  readonly #filter = new MirrorFilter();

  decode(codes: Uint8Array): Int16Array {
    const samples = new Int16Array(codes.length * 2);
    const filter = this.#filter;
    const { low, high } = this.#bands;
    for (let i = 0; i < codes.length; i += 1) {
      const code = codes[i] ?? 0;
      const lowCode = code & 0x3f;
      const highCode = code >> 6;
      const lowSample = limited(low.estimate + ((low.scale * (LOW_VALUES_6_BIT[lowCode] ?? 0)) >> 15));
      const highSample = limited(high.estimate + ((high.scale * (HIGH_VALUES[highCode] ?? 0)) >> 15));
      this.#bands.adapt(lowCode, highCode);
      filter.push(lowSample + highSample, lowSample - highSample);
      samples[2 * i] = saturate(filter.odd >> 11);
      samples[2 * i + 1] = saturate(filter.even >> 11);
    }
    return samples;
  }
}

function lowCodeOf(difference: number, scale: number): number {
  const magnitude = difference >= 0 ? difference : -(difference + 1);
  let level = 1;
  while (level < LOW_LEVELS.length && magnitude >= ((LOW_LEVELS[level] ?? 0) * scale) >> 12) level += 1;
  return (difference < 0 ? LOW_CODES_NEGATIVE : LOW_CODES_POSITIVE)[level] ?? 0;
}

function highCodeOf(difference: number, scale: number): number {
  const magnitude = difference >= 0 ? difference : -(difference + 1);
  const isLarge = magnitude >= (HIGH_THRESHOLD * scale) >> 12;
  const { large, small } = difference < 0 ? HIGH_CODES.negative : HIGH_CODES.positive;
  return isLarge ? large : small;
}

function saturate(value: number): number {
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
}

function limited(value: number): number {
  return Math.min(LOWER_BAND_MAX, Math.max(LOWER_BAND_MIN, value));
}
