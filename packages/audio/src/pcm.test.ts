import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { brownNoise, pinkNoise } from './noise.ts';
import { PcmByteJoiner } from './pcm-byte-joiner.ts';
import {
  bytesFromSamples,
  concatSamples,
  levelDbfs,
  msFromSamples,
  samplesFromBytes,
  samplesFromMs,
  seamlessLoop,
} from './pcm.ts';

const SAMPLES = Int16Array.of(0, 1, -1, 32_767, -32_768, 258);
const BYTES = [0, 0, 1, 0, 255, 255, 255, 127, 0, 128, 2, 1];

describe('PCM bytes', () => {
  it('are little-endian', () => {
    expect([...bytesFromSamples(SAMPLES)]).toEqual(BYTES);
    expect(samplesFromBytes(Uint8Array.from(BYTES))).toEqual(SAMPLES);
  });

  it('are read at any offset, and copied only at odd offsets', () => {
    for (let offset = 0; offset < 5; offset += 1) {
      const buffer = Buffer.alloc(BYTES.length + 8);
      buffer.set(BYTES, offset);
      const bytes = buffer.subarray(offset, offset + BYTES.length);
      const samples = samplesFromBytes(bytes);
      expect(samples).toEqual(SAMPLES);
      expect(samples.buffer === bytes.buffer).toBe(bytes.byteOffset % 2 === 0);
    }
  });

  it('are read without half a sample at the end', () => {
    expect([...samplesFromBytes(Uint8Array.of(1, 0, 2))]).toEqual([1]);
    expect(samplesFromBytes(new Uint8Array(new ArrayBuffer(8), 3, 1))).toHaveLength(0);
  });

  it('are joined across chunks that split samples', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (pieceLengths) => {
        const total = pieceLengths.reduce((sum, length) => sum + length, 0);
        const bytes = Uint8Array.from({ length: total }, (_, i) => (i * 37) & 255);
        const joiner = new PcmByteJoiner();
        const parts: Int16Array[] = [];
        let position = 0;
        for (const length of pieceLengths) {
          parts.push(joiner.push(bytes.subarray(position, position + length)).slice());
          position += length;
        }
        expect(concatSamples(parts)).toEqual(samplesFromBytes(bytes));
        expect(joiner.hasHalfSample).toBe(total % 2 === 1);
      }),
    );
  });
});

describe('levels and durations', () => {
  it('measures the level in dBFS', () => {
    expect(levelDbfs(new Int16Array(100).fill(-32_768))).toBe(0);
    expect(levelDbfs(new Int16Array(100))).toBe(-Infinity);
    expect(levelDbfs(new Int16Array(0))).toBe(-Infinity);
    const sine = Int16Array.from(
      { length: 16_000 },
      (_, i) => 16_384 * Math.sin((2 * Math.PI * 440 * i) / 16_000),
    );
    expect(levelDbfs(sine)).toBeCloseTo(-9.03, 1);
  });

  it('converts between samples and milliseconds', () => {
    expect(msFromSamples(512, 16_000)).toBe(32);
    expect(samplesFromMs(20, 22_050)).toBe(441);
    expect(samplesFromMs(32, 11_025)).toBe(353);
  });
});

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
    // Differences at half the lag contain only the upper octaves.
    expect(bandDb(pink, 8) - bandDb(pink, 4)).toBeLessThan(1.5);
    expect(bandDb(brown, 8) - bandDb(brown, 4)).toBeGreaterThan(2);
  });
});
