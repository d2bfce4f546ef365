import { describe, expect, it } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';
import { activeExtent, activeLevelDbfs } from './active-extent.ts';
import { HUMAN_PHRASES, humanVoice } from './human-voice.ts';
import { pinkNoise } from '@calls/audio/noise';
import { babbleOf, withNoise, withSilence } from './shaping.ts';
import { speak } from './speak.ts';

const TEXT = 'The quick brown fox jumps over the lazy dog.';

describe('speech fixtures', () => {
  it.each([
    ['flite', 'slt'],
    ['flite', 'rms'],
    ['espeak-ng', 'en-us'],
  ] as const)(
    'from %s with voice %s are deterministic and equally loud at every sample rate',
    async (engine, voice) => {
      const [narrow, wide, full] = await Promise.all(
        [8000, 16_000, 48_000].map((sampleRateHz) => speak({ engine, voice, text: TEXT, sampleRateHz })),
      );
      expect(wide!.length / 16_000).toBeGreaterThan(1.5);
      expect(wide!.length / 16_000).toBeLessThan(5);
      expect(Math.abs(full!.length / 48_000 - narrow!.length / 8000)).toBeLessThan(0.001);
      expect(Math.abs(levelDbfs(full!) - levelDbfs(narrow!))).toBeLessThan(3);
      expect(await speak({ engine, voice, text: TEXT, sampleRateHz: 16_000 })).toEqual(wide);
    },
  );

  it('include audible human voices', async () => {
    for (const phrase of HUMAN_PHRASES) {
      const samples = await humanVoice(phrase, 16_000);
      expect(samples.length / 16_000).toBeGreaterThan(1);
      expect(levelDbfs(samples)).toBeGreaterThan(-40);
    }
  });

  it('can be padded with silence, and the extent of speech found in it', async () => {
    const spoken = await humanVoice('Rear_Left', 16_000);
    const alone = activeExtent(spoken, 16_000);
    const padded = withSilence(spoken, { beforeMs: 700, afterMs: 300, sampleRateHz: 16_000 });
    expect(padded).toHaveLength(spoken.length + 16_000);
    expect(activeExtent(padded, 16_000)).toEqual({ startMs: alone.startMs + 700, endMs: alone.endMs + 700 });
  });

  it('can have noise added at the requested SNR, deterministically per seed', async () => {
    const spoken = await humanVoice('Front_Center', 16_000);
    const padded = withSilence(spoken, { beforeMs: 500, afterMs: 500, sampleRateHz: 16_000 });
    const noisy = withNoise(padded, { snrDb: 20, seed: 7, sampleRateHz: 16_000 });
    const noiseLevel = levelDbfs(noisy.subarray(0, 8000));
    expect(Math.abs(activeLevelDbfs(padded, 16_000) - noiseLevel - 20)).toBeLessThan(1);
    expect(withNoise(padded, { snrDb: 20, seed: 7, sampleRateHz: 16_000 })).toEqual(noisy);
    expect(withNoise(padded, { snrDb: 20, seed: 8, sampleRateHz: 16_000 })).not.toEqual(noisy);
    const babble = babbleOf([spoken, await humanVoice('Side_Right', 16_000)], 3000, 16_000);
    const inBabble = withNoise(padded, { snrDb: 10, seed: 0, sampleRateHz: 16_000, babble });
    expect(levelDbfs(inBabble.subarray(0, 8000))).toBeGreaterThan(levelDbfs(padded) - 20);
  });

  it('include pink noise with equal energy per octave', () => {
    const noise = pinkNoise(32_768, -30, 1);
    expect(levelDbfs(noise)).toBeCloseTo(-30, 1);
    const smoothed = noise.map((sample, i) => (sample + (noise[i - 1] ?? 0)) / 2);
    const white = 10 * Math.log10(0.5);
    expect(levelDbfs(smoothed) - levelDbfs(noise)).toBeGreaterThan(white + 1.5);
  });
});
