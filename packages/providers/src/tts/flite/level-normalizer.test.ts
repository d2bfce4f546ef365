import { expect, it } from '@jest/globals';
import { LevelNormalizer } from './level-normalizer.ts';

it('LevelNormalizer removes silence at the start and the end but not between words, for any chunk size', () => {
  const silence = (samples: number): number[] => Array.from({ length: samples }, () => 0);
  const word = Array.from({ length: 1000 }, () => 10_000);
  const audio = Int16Array.from([...silence(3000), ...word, ...silence(2000), ...word, ...silence(2500)]);
  for (const size of [700, 3100, audio.length]) {
    const level = new LevelNormalizer();
    const spoken: number[] = [];
    for (let from = 0; from < audio.length; from += size)
      spoken.push(...level.push(audio.subarray(from, from + size), 16_000));
    const first = spoken.findIndex((sample) => sample !== 0);
    const last = spoken.findLastIndex((sample) => sample !== 0);
    expect([first, last - first]).toEqual([320, 3999]);
    expect(spoken.length - 1 - last).toBeLessThanOrEqual(320);
    expect(spoken[first]).toBe(5623);
  }
});
