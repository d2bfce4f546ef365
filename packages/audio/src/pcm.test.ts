import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PcmByteJoiner } from './pcm-byte-joiner.ts';
import {
  bytesFromSamples,
  concatSamples,
  levelDbfs,
  msFromSamples,
  samplesFromBytes,
  samplesFromMs,
} from './pcm.ts';

const SAMPLES = Int16Array.of(0, 1, -1, 32_767, -32_768, 258);
const BYTES = [0, 0, 1, 0, 255, 255, 255, 127, 0, 128, 2, 1];

describe('PCM bytes', () => {
  it('are little-endian', () => {
    expect([...bytesFromSamples(SAMPLES)]).toEqual(BYTES);
    expect(samplesFromBytes(Uint8Array.from(BYTES))).toEqual(SAMPLES);
  });

  it('are read at any offset, with a copy only for odd ones', () => {
    for (let offset = 0; offset < 5; offset += 1) {
      const buffer = Buffer.alloc(BYTES.length + 8);
      buffer.set(BYTES, offset);
      const bytes = buffer.subarray(offset, offset + BYTES.length);
      const samples = samplesFromBytes(bytes);
      expect(samples).toEqual(SAMPLES);
      expect(samples.buffer === bytes.buffer).toBe(bytes.byteOffset % 2 === 0);
    }
  });

  it('ignore half a sample at the end', () => {
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
