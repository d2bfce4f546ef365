import { describe, expect, it } from '@jest/globals';
import { DtmfDetector } from './dtmf-detector.ts';
import { dtmfTones, HIGH_GROUP_HZ, LOW_GROUP_HZ } from './dtmf-tones.ts';
import { decodeMuLaw, encodeMuLaw } from './g711.ts';
import { concatSamples } from './pcm.ts';

const ALL_KEYS = '123A456B789C*0#D';

function keysIn(samples: Int16Array, rateHz: number): string {
  let keys = '';
  const detector = new DtmfDetector(rateHz, (key) => {
    keys += key;
  });
  for (let at = 0; at < samples.length; at += rateHz / 50)
    detector.push(samples.subarray(at, at + rateHz / 50));
  return keys;
}

interface Tone {
  lowHz: number;
  highHz: number;
  /** dBm0 */
  low?: number;
  high?: number;
  durationMs?: number;
}

/** A tone at 8 kHz in G.711, with 40 ms of silence before and after it. */
function toneOf({ lowHz, highHz, low = -10, high = -10, durationMs = 65 }: Tone): Int16Array {
  const samples = new Int16Array((durationMs + 80) * 8);
  const part = (hz: number, dbm0: number, i: number): number =>
    32_767 * 10 ** ((dbm0 - 3.14) / 20) * Math.sin((2 * Math.PI * hz * i) / 8000);
  for (let i = 0; i < durationMs * 8; i += 1) samples[320 + i] = part(lowHz, low, i) + part(highHz, high, i);
  return decodeMuLaw(encodeMuLaw(samples));
}

const ALL_PAIRS = LOW_GROUP_HZ.flatMap((lowHz) => HIGH_GROUP_HZ.map((highHz) => ({ lowHz, highHz })));

function keysOfAll(change: (pair: { lowHz: number; highHz: number }) => Tone): string {
  return keysIn(concatSamples(ALL_PAIRS.map((pair) => toneOf(change(pair)))), 8000);
}

describe('DtmfDetector', () => {
  it.each([8000, 16_000])('finds each key once at %i Hz, also if it is repeated', (rateHz) => {
    const keys = `${ALL_KEYS}0055`;
    expect(keysIn(dtmfTones(keys, rateHz), rateHz)).toBe(keys);
  });

  it.each([
    ['that last 65 ms', {}],
    ['that last 5 s', { durationMs: 5000 }],
    ['of -25 dBm0', { low: -25, high: -25 }],
    ['of full scale', { low: -3, high: -3 }],
    ['with a high group that is 4 dB louder', { low: -12, high: -8 }],
    ['with a high group that is 6 dB quieter', { low: -8, high: -14 }],
  ])('finds tones %s', (_what, change) => {
    expect(keysOfAll((pair) => ({ ...pair, ...change }))).toBe(ALL_KEYS);
  });

  it.each([0.985, 1.015])('finds tones whose frequencies are wrong by the factor %d', (factor) => {
    expect(keysOfAll(({ lowHz, highHz }) => ({ lowHz: lowHz * factor, highHz: highHz * factor }))).toBe(
      ALL_KEYS,
    );
  });

  it.each([
    ['that last 40 ms', { durationMs: 40 }],
    ['of -32 dBm0', { low: -32, high: -32 }],
    ['with one frequency', { low: -60 }],
    ['with a high group that is 10 dB louder', { low: -20, high: -10 }],
  ])('ignores tones %s', (_what, change) => {
    expect(keysOfAll((pair) => ({ ...pair, ...change }))).toBe('');
  });

  it.each([0.965, 1.035])('ignores tones whose frequencies are wrong by the factor %d', (factor) => {
    expect(keysOfAll(({ lowHz, highHz }) => ({ lowHz: lowHz * factor, highHz: highHz * factor }))).toBe('');
  });

  it('ignores dial tones, ringing tones and busy tones', () => {
    const pairs = [
      [350, 440],
      [440, 480],
      [480, 620],
      [425, 425],
      [697, 1100],
      [941, 1209 / 2],
    ] as const;
    const tones = pairs.map(([lowHz, highHz]) => toneOf({ lowHz, highHz, durationMs: 500 }));
    expect(keysIn(concatSamples(tones), 8000)).toBe('');
  });
});
