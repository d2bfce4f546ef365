import { describe, expect, it } from '@jest/globals';
import { HOLD_MUSIC_MS, holdMusic } from './hold-music.ts';

describe('hold music', () => {
  it.each([8000, 16_000, 24_000, 48_000])(
    'at %i Hz is audible throughout, quiet, and loops without a click',
    (rateHz) => {
      const music = holdMusic(rateHz);
      expect(music).toHaveLength((HOLD_MUSIC_MS * rateHz) / 1000);
      expect(music.every((sample) => Math.abs(sample) < 32_767 / 5)).toBe(true);
      const stepSamples = rateHz / 5;
      for (let at = 0; at < music.length; at += stepSamples)
        expect(Math.max(...music.subarray(at, at + stepSamples))).toBeGreaterThan(300);
      const largestStep = music.reduce(
        (most, sample, i) => Math.max(most, Math.abs(sample - (music[i - 1] ?? sample))),
        0,
      );
      expect(Math.abs((music.at(-1) ?? 0) - (music[0] ?? 0))).toBeLessThanOrEqual(largestStep);
    },
  );

  it('is generated once per rate', () => {
    expect(holdMusic(8000)).toBe(holdMusic(8000));
  });
});
