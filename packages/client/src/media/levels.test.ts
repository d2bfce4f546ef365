import { describe, expect, it } from '@jest/globals';
import { levelOf } from './levels.ts';

const tone = (amplitude: number): Float32Array =>
  Float32Array.from({ length: 512 }, (_, i) => amplitude * Math.sin((2 * Math.PI * i) / 32));

describe('levelOf', () => {
  it('is linear in dB between silence and full scale', () => {
    expect(levelOf(new Float32Array(512))).toBe(0);
    expect(levelOf(tone(0.0001))).toBe(0);
    // A sine of full scale has −3 dB; one of a tenth, 20 dB less.
    expect(levelOf(tone(1))).toBeCloseTo(1 - 3 / 60, 2);
    expect(levelOf(tone(0.1))).toBeCloseTo(1 - 23 / 60, 2);
    expect(levelOf(new Float32Array(512).fill(1))).toBe(1);
  });
});
