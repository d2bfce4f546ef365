import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { G722Decoder, G722Encoder } from './g722.ts';
import { levelDbfs } from './pcm.ts';

/** Noise at four levels, computed with integers. */
function noise(samples: number): Int16Array {
  const gains = [0, 40, 2000, 32_767];
  let [random, smooth] = [1, 0];
  return Int16Array.from({ length: samples }, (_, i) => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
    smooth = (3 * smooth + ((random >> 8) & 0xffff) - 32_768) >> 2;
    return (smooth * (gains[Math.floor(i / 4000) % 4] ?? 0)) >> 15;
  });
}

const digest = (data: NodeJS.ArrayBufferView): string => createHash('sha256').update(data).digest('hex');

describe('G.722', () => {
  it('encodes and decodes the same bits as spandsp 0.0.6', () => {
    const codes = new G722Encoder().encode(noise(32_000));
    expect(digest(codes)).toBe('afbcb23204358f22c3488977da3fa99414bda0b386cc341c8f043a8013d3d130');
    expect(digest(new G722Decoder().decode(codes))).toBe(
      '96654f29c9cb17a77801c3a7c266a6399132e4d21ba38a2ace438e342fef7e24',
    );
  });

  it('encodes and decodes the same however the stream is split into frames', () => {
    const samples = noise(16_000);
    const whole = new G722Encoder().encode(samples);
    const [encoder, decoder] = [new G722Encoder(), new G722Decoder()];
    const decoded: number[] = [];
    for (let at = 0; at < samples.length; at += 320) {
      const codes = encoder.encode(samples.subarray(at, at + 320));
      expect(codes).toEqual(whole.subarray(at / 2, at / 2 + 160));
      decoded.push(...decoder.decode(codes));
    }
    expect(Int16Array.from(decoded)).toEqual(new G722Decoder().decode(whole));
  });

  it.each([300, 1000, 3000, 6000])('preserves a tone of %i Hz', (hz) => {
    const tone = Int16Array.from({ length: 16_000 }, (_, i) =>
      Math.round(8000 * Math.sin((2 * Math.PI * hz * i) / 16_000)),
    );
    const decoded = new G722Decoder().decode(new G722Encoder().encode(tone));
    // The filters delay by 22 samples.
    const difference = decoded.map((sample, i) => sample - (tone[i - 22] ?? 0)).subarray(1000);
    expect(levelDbfs(difference) - levelDbfs(tone)).toBeLessThan(-15);
  });
});
