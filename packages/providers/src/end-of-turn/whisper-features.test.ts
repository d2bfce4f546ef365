import { expect, it } from '@jest/globals';
import { FRAMES, WhisperFeatures } from './whisper-features.ts';

/** A signal of varying loudness and rising frequency. */
const signal = (samples: number): Int16Array =>
  Int16Array.from({ length: samples }, (_, i) => 12_000 * Math.sin((i * i) / 40_000) * Math.sin(i / 5000));

/** Computed with numpy from the definition, in double precision: [band, frame, value]. */
const EXPECTED: [number, [number, number, number][]][] = [
  [
    40_000,
    [
      [0, 0, -0.13812],
      [20, 799, 0.21528],
      [5, 549, -0.13812],
      [5, 551, -0.0937],
    ],
  ],
  [
    150_000,
    [
      [0, 0, 0.43774],
      [10, 600, -0.25814],
      [20, 799, 0.334],
      [33, 798, -0.2635],
    ],
  ],
];

it('WhisperFeatures computes the features of turns of different lengths in one batch', async () => {
  const features = await WhisperFeatures.create({ intraOpNumThreads: 1 });
  const { dims, data } = await features.of(EXPECTED.map(([samples]) => signal(samples)));
  expect(dims).toEqual([2, 80, FRAMES]);
  for (const [turn, [, values]] of EXPECTED.entries())
    for (const [band, frame, value] of values)
      expect(Number(data[(turn * 80 + band) * FRAMES + frame])).toBeCloseTo(value, 3);
});
