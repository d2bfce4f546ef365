import { describe, expect, it } from '@jest/globals';
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './g711.ts';

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, i) => i);
const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);

const laws = [
  { name: 'mu-law', encode: encodeMuLaw, decode: decodeMuLaw },
  { name: 'A-law', encode: encodeALaw, decode: decodeALaw },
];

describe('G.711', () => {
  // Values of the tables of ITU-T G.711, scaled to 16 bits.
  it.each([
    [0xff, 0],
    [0x7f, 0],
    [0xfe, 8],
    [0x7e, -8],
    [0xef, 132],
    [0xf0, 120],
    [0x80, 32_124],
    [0x00, -32_124],
    [0x8f, 16_764],
    [0xdf, 396],
  ])('decodes mu-law byte %i to %i', (byte, sample) => {
    expect([...decodeMuLaw(Uint8Array.of(byte))]).toEqual([sample]);
  });

  it.each([
    [0xd5, 8],
    [0x55, -8],
    [0xd4, 24],
    [0xc5, 264],
    [0xda, 248],
    [0xaa, 32_256],
    [0x2a, -32_256],
    [0x80, 5504],
    [0xf5, 528],
  ])('decodes A-law byte %i to %i', (byte, sample) => {
    expect([...decodeALaw(Uint8Array.of(byte))]).toEqual([sample]);
  });

  it.each(laws)(
    '$name codes are unchanged after decoding and encoding, except the second zero of mu-law',
    ({ name, encode, decode }) => {
      const expected = ALL_BYTES.slice();
      if (name === 'mu-law') expected[0x7f] = 0xff;
      expect(encode(decode(ALL_BYTES))).toEqual(expected);
    },
  );

  it.each(laws)('$name is monotonic and deviates by at most half a step', ({ encode, decode }) => {
    const levels = [...new Set(decode(ALL_BYTES))].sort((a, b) => a - b);
    const decoded = decode(encode(ALL_SAMPLES));
    // The larger of the two steps next to a level applies; mu-law uses 14 bits, which loses up to 3 more.
    const allowed = new Map(
      levels.map((level, i) => {
        const below = level - (levels[i - 1] ?? -33_792);
        const above = (levels[i + 1] ?? 33_792) - level;
        return [level, Math.max(below, above) / 2 + 3];
      }),
    );
    const tooFar = ALL_SAMPLES.filter(
      (sample, i) => Math.abs(decoded[i]! - sample) > allowed.get(decoded[i]!)!,
    );
    expect([...tooFar]).toEqual([]);
    expect(decoded.every((level, i) => i === 0 || level >= decoded[i - 1]!)).toBe(true);
  });
});
