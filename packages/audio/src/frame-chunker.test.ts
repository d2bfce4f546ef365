import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FrameChunker } from './frame-chunker.ts';

describe('FrameChunker', () => {
  it('emits the same frames however the input is chunked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 40 }),
        (frameSamples, pieceLengths) => {
          const chunker = new FrameChunker(frameSamples);
          const frames: number[][] = [];
          let next = 0;
          for (const length of pieceLengths) {
            const piece = Int16Array.from({ length }, () => next++ % 30_000);
            chunker.push(piece, (frame) => frames.push([...frame]));
          }
          const flat = frames.flat();
          expect(frames.every((frame) => frame.length === frameSamples)).toBe(true);
          expect(flat).toEqual(Array.from({ length: flat.length }, (_, i) => i % 30_000));
          expect(flat.length + chunker.pendingSamples).toBe(next);
          expect(chunker.pendingSamples).toBeLessThan(frameSamples);
        },
      ),
    );
  });

  it('converts 20 ms frames to 512-sample windows', () => {
    const chunker = new FrameChunker(512);
    let windows = 0;
    for (let frame = 0; frame < 50; frame += 1) chunker.push(new Int16Array(320), () => (windows += 1));
    expect(windows).toBe(31);
    expect(chunker.pendingSamples).toBe(16_000 - 31 * 512);
  });

  it('reuses one buffer', () => {
    const chunker = new FrameChunker(4);
    const seen = new Set<Int16Array>();
    chunker.push(new Int16Array(21), (frame) => seen.add(frame));
    expect(seen.size).toBe(1);
  });

  it('pads the last frame with silence on flush, and drops pending samples on reset', () => {
    const chunker = new FrameChunker(4);
    const frames: number[][] = [];
    const keep = (frame: Int16Array): void => void frames.push([...frame]);
    chunker.push(Int16Array.of(1, 2, 3, 4, 5), keep);
    chunker.flush(keep);
    chunker.flush(keep);
    chunker.push(Int16Array.of(6), keep);
    chunker.reset();
    chunker.push(Int16Array.of(7, 8, 9, 10), keep);
    expect(frames).toEqual([
      [1, 2, 3, 4],
      [5, 0, 0, 0],
      [7, 8, 9, 10],
    ]);
    expect(() => new FrameChunker(0)).toThrow(RangeError);
  });
});
