import { describe, expect, it } from '@jest/globals';
import { LossConcealment } from './loss-concealment.ts';
import { concatSamples, levelDbfs } from './pcm.ts';

const RATE_HZ = 8000;
const MS = RATE_HZ / 1000;

/** A voice-like signal: a pitch with its harmonics. */
function voice(pitchHz: number, ms: number): Int16Array {
  return Int16Array.from({ length: ms * MS }, (_, i) => {
    const at = (2 * Math.PI * pitchHz * i) / RATE_HZ;
    return Math.round(6000 * Math.sin(at) + 3000 * Math.sin(2 * at + 1) + 1500 * Math.sin(5 * at + 2));
  });
}

function largestStep(samples: Int16Array): number {
  return samples.reduce(
    (most, sample, i) => Math.max(most, Math.abs(sample - (samples[i - 1] ?? sample))),
    0,
  );
}

describe('LossConcealment', () => {
  it.each([90, 120, 180])(
    'continues a voice with a pitch of %d Hz at the same level without clicks',
    (pitchHz) => {
      const whole = voice(pitchHz, 100);
      const concealment = new LossConcealment(RATE_HZ);
      const before = whole.slice(0, 40 * MS);
      const after = whole.slice(60 * MS);
      concealment.received(before);
      const made = concealment.conceal(20 * MS);
      concealment.received(after);
      expect(levelDbfs(made.subarray(0, 10 * MS))).toBeCloseTo(levelDbfs(whole), -0.5);
      expect(Math.abs(levelDbfs(made) - levelDbfs(whole))).toBeLessThan(2.5);
      expect(largestStep(concatSamples([before, made, after]))).toBeLessThan(1.5 * largestStep(whole));
      expect(after.subarray(5 * MS)).toEqual(whole.subarray(65 * MS));
    },
  );

  it('fades out during long losses and recovers', () => {
    const concealment = new LossConcealment(RATE_HZ);
    concealment.received(voice(120, 40));
    expect(Math.abs(concealment.conceal(60 * MS).at(-1) ?? 9999)).toBeLessThan(50);
    expect(new Set(concealment.conceal(60 * MS))).toEqual(new Set([0]));
    const next = voice(120, 20);
    concealment.received(next);
    expect(Math.abs(next[0] ?? 0)).toBeLessThan(Math.abs(voice(120, 20)[0] ?? 0) / 2);
    expect(next.subarray(5 * MS)).toEqual(voice(120, 20).subarray(5 * MS));
  });

  it('is silent when nothing was received before', () => {
    const concealment = new LossConcealment(RATE_HZ);
    expect(new Set(concealment.conceal(20 * MS))).toEqual(new Set([0]));
    concealment.received(Int16Array.of(0, 0));
    expect(new Set(concealment.conceal(20 * MS))).toEqual(new Set([0]));
    concealment.received(new Int16Array(0));
  });
});
