import { describe, expect, it } from '@jest/globals';
import { brownNoise, pinkNoise } from './noise.ts';
import { levelDbfs } from './pcm.ts';
import { seamlessLoop } from './seamless-loop.ts';

/** Largest step between adjacent samples when the loop is played twice. */
function largestStep(loop: Int16Array, from: number, to: number): number {
  let largest = 0;
  for (let i = from; i < to; i += 1) {
    const [one, next] = [loop[i % loop.length] ?? 0, loop[(i + 1) % loop.length] ?? 0];
    largest = Math.max(largest, Math.abs(next - one));
  }
  return largest;
}

describe('seamlessLoop', () => {
  it('has no click at the seam', () => {
    const rising = Int16Array.from({ length: 8000 }, (_, i) => i);
    expect(largestStep(seamlessLoop(rising, 400), 7000, 8200)).toBeLessThan(40);
    expect(largestStep(seamlessLoop(rising, 0), 7000, 8200)).toBeGreaterThan(7000);
  });

  it.each([pinkNoise, brownNoise])('preserves the level of noise at the seam', (noise) => {
    const loop = seamlessLoop(noise(32_000, -30, 7), 3200);
    expect(loop).toHaveLength(28_800);
    const levels = [loop.subarray(0, 3200), loop.subarray(3200, 28_800)].map(levelDbfs);
    expect(Math.abs((levels[0] ?? 0) - (levels[1] ?? 0))).toBeLessThan(3);
  });

  it('does not modify its input or the middle', () => {
    const samples = pinkNoise(1000, -20, 3);
    const before = samples.slice();
    const loop = seamlessLoop(samples, 100);
    expect(samples).toEqual(before);
    expect(loop.subarray(100)).toEqual(samples.subarray(100, 900));
  });

  it('accepts clips shorter than two fades', () => {
    expect(seamlessLoop(new Int16Array(0), 100)).toHaveLength(0);
    expect(seamlessLoop(Int16Array.of(5), 100)).toHaveLength(1);
    expect(seamlessLoop(new Int16Array(10), 100)).toHaveLength(5);
  });
});

describe('noise', () => {
  it('has the requested level; pink falls by 3 dB per octave, brown by 6', () => {
    const bandDb = (samples: Int16Array, lag: number): number => {
      const difference = samples.slice(lag).map((sample, i) => (sample - (samples[i] ?? 0)) / 2);
      return levelDbfs(difference);
    };
    const [pink, brown] = [pinkNoise(80_000, -30, 1), brownNoise(80_000, -30, 1)];
    for (const noise of [pink, brown]) expect(levelDbfs(noise)).toBeCloseTo(-30, 0);
    // Differences over half the distance keep only the upper octaves.
    expect(bandDb(pink, 8) - bandDb(pink, 4)).toBeLessThan(1.5);
    expect(bandDb(brown, 8) - bandDb(brown, 4)).toBeGreaterThan(2);
  });
});
