import { describe, expect, it } from '@jest/globals';
import { dtmfTones } from './dtmf-tones.ts';
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './g711.ts';
import { concatSamples } from './pcm.ts';
import { createResampler } from './resampler.ts';

const ALL_DIGITS = '0123456789*#ABCD';
const RATES_HZ = [8000, 11_025, 16_000, 24_000, 44_100, 48_000];
const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1209, 1336, 1477, 1633];
const KEYPAD = ['123A', '456B', '789C', '*0#D'];
/** Shorter than Q.24's 40 ms, and long enough to separate neighbouring frequencies. */
const WINDOW_MS = 12.8;

/** The amplitude of one frequency in the window, by Goertzel's recurrence. */
function amplitudeAt(window: Int16Array, frequencyHz: number, sampleRateHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / sampleRateHz);
  let last = 0;
  let beforeLast = 0;
  for (const sample of window) {
    const next = sample + coefficient * last - beforeLast;
    beforeLast = last;
    last = next;
  }
  const power = last * last + beforeLast * beforeLast - coefficient * last * beforeLast;
  return (2 * Math.sqrt(Math.max(0, power))) / window.length;
}

interface Strongest {
  index: number;
  amplitude: number;
  /** Level difference in dB to the next frequency of its group. */
  leadDb: number;
}

function strongest(window: Int16Array, group: readonly number[], sampleRateHz: number): Strongest {
  const levels = group.map((frequencyHz) => amplitudeAt(window, frequencyHz, sampleRateHz));
  const amplitude = Math.max(...levels);
  const second = Math.max(...levels.filter((level) => level !== amplitude), 1e-9);
  return { index: levels.indexOf(amplitude), amplitude, leadDb: 20 * Math.log10(amplitude / second) };
}

/** Detects digits as a Q.24 receiver does: 40 ms of tone after a pause. */
function detect(samples: Int16Array, sampleRateHz: number): { digit: string; windows: number }[] {
  const length = Math.round((WINDOW_MS * sampleRateHz) / 1000);
  const found: { digit: string; windows: number }[] = [];
  let current = '';
  for (let start = 0; start + length <= samples.length; start += length) {
    const window = samples.subarray(start, start + length);
    const row = strongest(window, ROWS_HZ, sampleRateHz);
    const column = strongest(window, COLUMNS_HZ, sampleRateHz);
    const twistDb = 20 * Math.log10(column.amplitude / row.amplitude);
    const clear = row.leadDb > 6 && column.leadDb > 6 && Math.abs(twistDb) < 6;
    const digit = clear && row.amplitude > 2000 ? (KEYPAD[row.index]?.charAt(column.index) ?? '') : '';
    if (digit !== '' && digit === current) {
      const last = found.at(-1);
      if (last) last.windows += 1;
    } else if (digit !== '') found.push({ digit, windows: 1 });
    current = digit;
  }
  return found.filter(({ windows }) => windows * WINDOW_MS >= 40);
}

function digitsIn(samples: Int16Array, sampleRateHz: number): string {
  return detect(samples, sampleRateHz)
    .map(({ digit }) => digit)
    .join('');
}

describe('dtmfTones', () => {
  it.each(RATES_HZ)('are detected as the digits at %i Hz', (rateHz) => {
    expect(digitsIn(dtmfTones(ALL_DIGITS, rateHz), rateHz)).toBe(ALL_DIGITS);
  });

  it.each([
    ['mu-law', (samples: Int16Array) => decodeMuLaw(encodeMuLaw(samples))],
    ['A-law', (samples: Int16Array) => decodeALaw(encodeALaw(samples))],
  ])('pass through %s', (_, codec) => {
    expect(digitsIn(codec(dtmfTones(ALL_DIGITS, 8000)), 8000)).toBe(ALL_DIGITS);
  });

  it.each([
    [48_000, 8000],
    [24_000, 16_000],
    [8000, 44_100],
  ])('survive resampling from %i to %i Hz', (from, to) => {
    const resampler = createResampler(from, to);
    const output = concatSamples([resampler.process(dtmfTones(ALL_DIGITS, from)), resampler.flush()]);
    resampler.close();
    expect(digitsIn(output, to)).toBe(ALL_DIGITS);
  });

  it('separates two equal digits', () => {
    expect(digitsIn(dtmfTones('5500', 8000), 8000)).toBe('5500');
  });

  it.each(RATES_HZ)('last 0.2 s with 0.1 s of silence at %i Hz', (rateHz) => {
    const samples = dtmfTones('7#', rateHz);
    const at = (second: number): number => Math.round(second * rateHz);
    expect(samples).toHaveLength(2 * (at(0.2) + at(0.1)));
    expect(samples.subarray(at(0.2), at(0.2) + at(0.1)).every((sample) => sample === 0)).toBe(true);
    expect(samples.subarray(at(0.19), at(0.2)).some((sample) => Math.abs(sample) > 3000)).toBe(true);
  });

  it.each(RATES_HZ)(
    'have the levels of Q.24 at %i Hz without clipping, with the high group 2 dB louder',
    (rateHz) => {
      for (const digit of ALL_DIGITS) {
        const tone = dtmfTones(digit, rateHz).subarray(0, Math.round(0.2 * rateHz));
        expect(tone.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)).toBeLessThan(
          32_767 * 0.66,
        );
        const steady = tone.subarray(Math.round(0.02 * rateHz), Math.round(0.18 * rateHz));
        const low = strongest(steady, ROWS_HZ, rateHz).amplitude;
        const high = strongest(steady, COLUMNS_HZ, rateHz).amplitude;
        const dbm0 = (amplitude: number): number => 20 * Math.log10(amplitude / 32_767) + 3.14;
        expect(dbm0(low)).toBeCloseTo(-8, 0);
        expect(dbm0(high)).toBeCloseTo(-6, 0);
      }
    },
  );

  it('start and end without audible clicks', () => {
    const samples = concatSamples([new Int16Array(480), dtmfTones('1', 48_000)]);
    for (const edge of [samples.subarray(0, 960), samples.subarray(9600, 10_560)]) {
      const faded = edge.map((sample, i) => sample * Math.sin((Math.PI * i) / 960) ** 2);
      for (const frequencyHz of [6000, 9000, 15_000]) {
        expect(20 * Math.log10(amplitudeAt(faded, frequencyHz, 48_000) / 32_767)).toBeLessThan(-90);
      }
    }
  });

  it('accepts lower-case letters and rejects other characters', () => {
    expect(dtmfTones('a', 8000)).toEqual(dtmfTones('A', 8000));
    expect(dtmfTones('', 8000)).toHaveLength(0);
    expect(() => dtmfTones('1-2', 8000)).toThrow('"-" is not a DTMF digit');
  });
});
