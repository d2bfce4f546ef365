import { describe, expect, it } from '@jest/globals';
import { pinkNoise } from '@calls/audio/noise';
import { clampToInt16 } from '@calls/audio/pcm';
import { BeepDetector, type Beep } from './beep-detector.ts';

const RATE_HZ = 16_000;

/** Consecutive tones of these durations and frequencies (0: silence). */
function tones(...parts: readonly (readonly [durationMs: number, ...frequenciesHz: number[]])[]): Int16Array {
  const samples = parts.flatMap(([durationMs, ...frequenciesHz]) =>
    Array.from({ length: (durationMs * RATE_HZ) / 1000 }, (_, i) =>
      frequenciesHz.reduce((sum, hz) => sum + 6000 * Math.sin((2 * Math.PI * hz * i) / RATE_HZ), 0),
    ),
  );
  return Int16Array.from(samples, clampToInt16);
}

function beepsIn(samples: Int16Array): Beep[] {
  const beeps: Beep[] = [];
  const detector = new BeepDetector((beep) => beeps.push(beep));
  for (let at = 0; at < samples.length; at += 320) detector.push(samples.subarray(at, at + 320));
  return beeps;
}

describe('BeepDetector', () => {
  it.each([
    [620, 200],
    [1000, 110],
    [1400, 500],
    [2080, 1900],
  ])('detects a beep of %i Hz and %i ms', (hz, ms) => {
    const [beep, ...others] = beepsIn(tones([300, 0], [ms, hz], [300, 0]));
    expect(others).toEqual([]);
    expect(Math.abs((beep?.frequencyHz ?? 0) - hz)).toBeLessThanOrEqual(16);
    expect(Math.abs((beep?.durationMs ?? 0) - ms)).toBeLessThanOrEqual(32);
  });

  it('detects a beep in noise 10 dB below it', () => {
    const clean = tones([500, 0], [250, 1000], [500, 0]);
    // 6000 peak is -17.7 dBFS.
    const noise = pinkNoise(clean.length, -27.7, 7);
    expect(beepsIn(clean.map((sample, i) => clampToInt16(sample + (noise[i] ?? 0))))).toHaveLength(1);
  });

  it.each([
    ['a short tone', [[60, 1000]]],
    ['a long tone such as a fax tone', [[3000, 2100]]],
    ['a low tone such as a ringback tone', [[400, 425]]],
    ['two simultaneous tones such as a DTMF digit', [[200, 770, 1336]]],
    [
      'a melody',
      [
        [150, 700],
        [150, 900],
        [150, 1200],
        [60, 1500],
      ],
    ],
    ['silence', [[1000, 0]]],
  ] as const)('ignores %s', (_, parts) => {
    const withPauses = [[300, 0] as const, ...parts, [300, 0] as const];
    expect(beepsIn(tones(...withPauses))).toEqual([]);
  });

  it('ignores noise', () => {
    expect(beepsIn(pinkNoise(RATE_HZ * 5, -20, 3))).toEqual([]);
  });
});
