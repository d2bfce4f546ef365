import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pinkNoise } from '@calls/audio/noise';
import {
  VAD_WINDOW_SAMPLES,
  type VoiceActivityDetector,
  type VoiceActivityEngine,
} from '@calls/engine-ports/voice-activity-detector';
import { humanVoice } from '../speech/human-voice.ts';
import { withSilence } from '../speech/shaping.ts';
import { speak } from '../speech/speak.ts';

const SAMPLE_RATE_HZ = 16_000;

export interface VoiceActivityConformance {
  create: () => Promise<VoiceActivityEngine>;
}

/** Batches of different sizes differ in the last digits of float arithmetic. */
const TOLERANCE = 1e-4;

function expectClose(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  const worst = Math.max(...actual.map((value, i) => Math.abs(value - (expected[i] ?? Number.NaN))));
  expect(worst).toBeLessThan(TOLERANCE);
}

/** Contract of every VoiceActivityEngine. */
export function describeVoiceActivity(name: string, options: VoiceActivityConformance): void {
  describe(`${name} as VoiceActivityEngine`, () => {
    let engine: VoiceActivityEngine;
    let human: Int16Array[];
    let synthetic: Int16Array[];

    beforeAll(async () => {
      const padding = { beforeMs: 640, afterMs: 960, sampleRateHz: SAMPLE_RATE_HZ };
      engine = await options.create();
      human = windowsOfSamples(withSilence(await humanVoice('Front_Center', SAMPLE_RATE_HZ), padding));
      const spoken = {
        engine: 'flite',
        voice: 'rms',
        text: 'I would like to book a table for two.',
      } as const;
      synthetic = windowsOfSamples(
        withSilence(await speak({ ...spoken, sampleRateHz: SAMPLE_RATE_HZ }), padding),
      );
    });

    afterAll(async () => {
      await engine[Symbol.asyncDispose]();
    });

    async function withDetector<T>(run: (detector: VoiceActivityDetector) => Promise<T>): Promise<T> {
      const detector = engine.createDetector();
      try {
        return await run(detector);
      } finally {
        detector.close();
      }
    }

    const judge = (windows: readonly Int16Array[]): Promise<number[]> =>
      withDetector((detector) => judgeInTurn(detector, windows));

    it('detects human and synthetic speech, but not the silence around it', async () => {
      for (const windows of [human, synthetic]) {
        const probabilities = await judge(windows);
        expect(probabilities.every((probability) => probability >= 0 && probability <= 1)).toBe(true);
        expect(Math.max(...probabilities.slice(0, 19))).toBeLessThan(0.1);
        expect(Math.max(...probabilities.slice(-10))).toBeLessThan(0.1);
        const spoken = probabilities.slice(20, -30);
        expect(spoken.filter((probability) => probability > 0.5).length).toBeGreaterThan(spoken.length * 0.5);
      }
    });

    it('detects no speech in silence and quiet noise', async () => {
      const silent = await judge(windowsOfSamples(new Int16Array(3 * SAMPLE_RATE_HZ)));
      const noise = await judge(windowsOfSamples(pinkNoise(3 * SAMPLE_RATE_HZ, -50, 1)));
      expect(Math.max(...silent, ...noise)).toBeLessThan(0.1);
    });

    it('returns the same result for each of many concurrent calls as for a call alone', async () => {
      const aloneHuman = await judge(human);
      const aloneSynthetic = await judge(synthetic);
      const many = await Promise.all(
        Array.from({ length: 150 }, (_, i) => judge(i % 2 === 0 ? human : synthetic)),
      );
      many.forEach((probabilities, i) => {
        expectClose(probabilities, i % 2 === 0 ? aloneHuman : aloneSynthetic);
      });
    });

    it('returns results in order for frames pushed without waiting', async () => {
      const alone = await judge(human);
      await withDetector(async (detector) => {
        const resolved: number[] = [];
        const probabilities = human.slice(0, 40).map(async (window, i) => {
          const probability = await detector.push(window);
          resolved.push(i);
          return probability;
        });
        expectClose(await Promise.all(probabilities), alone.slice(0, 40));
        expect(resolved).toEqual([...resolved].sort((a, b) => a - b));
      });
    });

    it('lets callers reuse the array as soon as push returns', async () => {
      const alone = await judge(human);
      await withDetector(async (detector) => {
        const reused = new Int16Array(VAD_WINDOW_SAMPLES);
        const probabilities = human.slice(0, 40).map((window) => {
          reused.set(window);
          const probability = detector.push(reused);
          reused.fill(32_767);
          return probability;
        });
        expectClose(await Promise.all(probabilities), alone.slice(0, 40));
      });
    });

    it('starts with fresh state after reset and for each detector', async () => {
      const alone = await judge(human);
      await withDetector(async (detector) => {
        await judgeInTurn(detector, synthetic.slice(0, 40));
        detector.reset();
        expectClose(await judgeInTurn(detector, human), alone);
      });
      for (let i = 0; i < 3; i += 1) expectClose(await judge(human.slice(0, 30)), alone.slice(0, 30));
    });

    it('rejects pending and later calls after close and does not affect other detectors', async () => {
      const alone = await judge(human);
      const closing = engine.createDetector();
      await withDetector(async (other) => {
        const pending = human.slice(0, 5).map((window) => closing.push(window));
        const others = human.slice(0, 30).map((window) => other.push(window));
        closing.close();
        closing.close();
        for (const outcome of await Promise.allSettled(pending)) expect(outcome.status).toBe('rejected');
        await expect(closing.push(human[0] ?? new Int16Array(VAD_WINDOW_SAMPLES))).rejects.toThrow('closed');
        expectClose(await Promise.all(others), alone.slice(0, 30));
        expectClose(await judge(human), alone);
      });
    });

    it('rejects a window of another length and continues', async () => {
      const alone = await judge(human);
      await withDetector(async (detector) => {
        await expect(detector.push(new Int16Array(160))).rejects.toThrow('512');
        expectClose(await judgeInTurn(detector, human), alone);
      });
    });

    it('closes all its detectors on disposal', async () => {
      const own = await options.create();
      const detector = own.createDetector();
      const pending = detector.push(new Int16Array(VAD_WINDOW_SAMPLES));
      await Promise.all([expect(pending).rejects.toThrow(), own[Symbol.asyncDispose]()]);
      await expect(detector.push(new Int16Array(VAD_WINDOW_SAMPLES))).rejects.toThrow();
      expect(() => own.createDetector()).toThrow();
      await own[Symbol.asyncDispose]();
    });
  });
}

/** Splits a recording at 16 kHz into detector windows; drops an incomplete one. */
export function windowsOfSamples(samples: Int16Array): Int16Array[] {
  return Array.from({ length: Math.floor(samples.length / VAD_WINDOW_SAMPLES) }, (_, i) =>
    samples.subarray(i * VAD_WINDOW_SAMPLES, (i + 1) * VAD_WINDOW_SAMPLES),
  );
}

/** Returns the probabilities of all windows, requested one after the other. */
export async function judgeInTurn(
  detector: VoiceActivityDetector,
  windows: readonly Int16Array[],
): Promise<number[]> {
  const probabilities: number[] = [];
  for (const window of windows) probabilities.push(await detector.push(window));
  return probabilities;
}
