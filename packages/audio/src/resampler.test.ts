import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { concatSamples, levelDbfs } from './pcm.ts';
import { createResampler } from './resampler.ts';
import { parseWav } from './wav.ts';

const RATES_HZ = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];
const PAIRS = RATES_HZ.flatMap((from) =>
  RATES_HZ.filter((to) => to !== from).map((to) => [from, to] as const),
);
const AMPLITUDE = 16_000;

function sine(frequencyHz: number, sampleRateHz: number, sampleCount: number): Int16Array {
  return Int16Array.from({ length: sampleCount }, (_, i) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz)),
  );
}

function resampleWhole(
  input: Int16Array,
  from: number,
  to: number,
  pieceSamples = Math.round(from / 50),
): Int16Array {
  const resampler = createResampler(from, to);
  const parts: Int16Array[] = [];
  for (let start = 0; start < input.length; start += pieceSamples) {
    parts.push(resampler.process(input.subarray(start, start + pieceSamples)));
  }
  parts.push(resampler.flush());
  resampler.close();
  return concatSamples(parts);
}

/** Level of the difference to `expected` relative to its level, in dB, without the edges. */
function errorDb(actual: Int16Array, expected: Int16Array, edgeSamples: number): number {
  let error = 0;
  let energy = 0;
  for (let i = edgeSamples; i < expected.length - edgeSamples; i += 1) {
    error += ((actual[i] ?? 0) - (expected[i] ?? 0)) ** 2;
    energy += (expected[i] ?? 0) ** 2;
  }
  return 10 * Math.log10(error / energy);
}

describe('createResampler', () => {
  it.each(PAIRS)('preserves a tone, its timing and the length from %i to %i Hz', (from, to) => {
    const input = sine(1000, from, from);
    const output = resampleWhole(input, from, to);
    expect(output.length).toBe(to);
    expect(errorDb(output, sine(1000, to, to), Math.round(to / 100))).toBeLessThan(-60);
  });

  it.each(PAIRS.filter(([from, to]) => from > to))(
    'removes frequencies that would alias from %i to %i Hz',
    (from, to) => {
      for (const part of [0.15, 0.5, 0.9]) {
        const frequencyHz = to / 2 + (from / 2 - to / 2) * part;
        if (frequencyHz < (to / 2) * 1.1) continue;
        const output = resampleWhole(sine(frequencyHz, from, from), from, to);
        const steady = output.subarray(to / 10, output.length - to / 10);
        expect(levelDbfs(steady) - levelDbfs(sine(1000, to, to))).toBeLessThan(-60);
      }
    },
  );

  it('yields the same samples however the input is chunked', () => {
    const input = sine(440, 48_000, 48_000);
    const whole = resampleWhole(input, 48_000, 16_000, input.length);
    for (const pieceSamples of [1, 7, 960, 4096, 5000]) {
      expect(resampleWhole(input, 48_000, 16_000, pieceSamples)).toEqual(whole);
    }
  });

  it('supports any integer rate with an exact length', () => {
    for (const [from, to] of [
      [11_025, 16_000],
      [8001, 47_999],
      [47_999, 8001],
      [32_000, 12_000],
    ] as const) {
      const input = sine(700, from, 12_345);
      expect(resampleWhole(input, from, to).length).toBe(Math.ceil((12_345 * to) / from));
    }
  });

  it('preserves speech to 16 kHz and back', () => {
    const speech = parseWav(readFileSync('/usr/share/sounds/alsa/Front_Center.wav'));
    expect(speech.sampleRateHz).toBe(48_000);
    const narrow = resampleWhole(speech.samples, 48_000, 16_000);
    const again = resampleWhole(resampleWhole(narrow, 16_000, 48_000), 48_000, 16_000);
    expect(Math.abs(levelDbfs(narrow) - levelDbfs(speech.samples))).toBeLessThan(1);
    expect(errorDb(again, narrow, 160)).toBeLessThan(-20);
  });

  it('returns the input without a copy at equal rates', () => {
    const resampler = createResampler(16_000, 16_000);
    const input = sine(440, 16_000, 320);
    expect(resampler.process(input)).toBe(input);
    expect(resampler.flush()).toHaveLength(0);
  });

  it('starts again without earlier samples after reset and after flush', () => {
    const resampler = createResampler(24_000, 16_000);
    const input = sine(440, 24_000, 480);
    const first = resampler.process(input);
    resampler.process(sine(900, 24_000, 333));
    resampler.reset();
    expect(resampler.process(input)).toEqual(first);
    resampler.flush();
    expect(resampler.process(input)).toEqual(first);
    resampler.close();
  });

  it('returns arrays that later calls of any resampler do not modify', () => {
    const one = createResampler(48_000, 16_000);
    const two = createResampler(48_000, 16_000);
    const output = one.process(sine(440, 48_000, 960));
    const copy = output.slice();
    two.process(sine(3000, 48_000, 960));
    one.process(sine(2000, 48_000, 960));
    expect(output).toEqual(copy);
    one.close();
    two.close();
  });

  it('works with a thousand instances and releases closed ones', () => {
    const expected = resampleWhole(sine(440, 22_050, 882), 22_050, 16_000);
    const measure = (): number => process.memoryUsage().rss;
    const input = sine(440, 22_050, 882);
    const isRight = (output: Int16Array): boolean =>
      output.length === expected.length && output.every((sample, i) => sample === expected[i]);
    const openAndClose = (): void => {
      const all = Array.from({ length: 1000 }, () => createResampler(22_050, 16_000));
      const outputs = all.map((each) => concatSamples([each.process(input), each.flush()]));
      expect(outputs.filter(isRight)).toHaveLength(1000);
      for (const resampler of all) resampler.close();
    };
    openAndClose();
    const before = measure();
    for (let round = 0; round < 20; round += 1) {
      const all = Array.from({ length: 1000 }, () => createResampler(22_050, 16_000));
      for (const resampler of all) resampler.close();
    }
    expect(measure() - before).toBeLessThan(32 * 1024 * 1024);
  });

  it('rejects rates out of range and use after close', () => {
    for (const rateHz of [0, 7999, 48_001, 16_000.5, Number.NaN]) {
      expect(() => createResampler(rateHz, 16_000)).toThrow(RangeError);
    }
    const resampler = createResampler(48_000, 16_000);
    resampler.close();
    resampler.close();
    expect(() => resampler.process(new Int16Array(960))).toThrow('closed');
  });
});
