import { describe, expect, it } from '@jest/globals';
import { pinkNoise } from '@calls/audio/noise';
import { concatSamples } from '@calls/audio/pcm';
import { speechPieces } from './speech-pieces.ts';

const RATE_HZ = 16_000;
const quiet = (ms: number): Int16Array => pinkNoise((ms * RATE_HZ) / 1000, -70, 1);
const loud = (ms: number): Int16Array => pinkNoise((ms * RATE_HZ) / 1000, -20, 2);
const durations = (samples: Int16Array): number[] =>
  speechPieces(samples).map(({ length }) => (length * 1000) / RATE_HZ);

describe('speechPieces', () => {
  it('leaves out the silence before and after speech, except 100 ms', () => {
    expect(durations(concatSamples([quiet(500), loud(300), quiet(800)]))).toEqual([500]);
    expect(durations(loud(300))).toEqual([300]);
  });

  it('keeps pauses within speech', () => {
    expect(durations(concatSamples([loud(300), quiet(2000), loud(300)]))).toEqual([2600]);
  });

  it('has no piece for digital silence and no audio', () => {
    expect(durations(new Int16Array(RATE_HZ))).toEqual([]);
    expect(durations(new Int16Array(0))).toEqual([]);
  });

  it('splits long speech in the longest pause of its second half', () => {
    const speech = concatSamples([loud(12_000), quiet(400), loud(5000), quiet(50), loud(9000)]);
    const pieces = durations(speech);
    expect(pieces).toHaveLength(2);
    expect(pieces[0]).toBeGreaterThanOrEqual(12_000);
    expect(pieces[0]).toBeLessThan(12_400);
    expect(pieces[1]).toBeGreaterThan(14_000);
  });

  it('splits speech without pauses after at most 20 s and loses none of it', () => {
    const pieces = speechPieces(loud(65_000));
    for (const { length } of pieces) expect(length).toBeLessThanOrEqual(20 * RATE_HZ);
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(65 * RATE_HZ);
  });
});
