import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SampleRing } from './sample-ring.ts';

describe('SampleRing', () => {
  it('returns the newest samples', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 20 }),
        fc.integer({ min: 0, max: 60 }),
        (capacity, pieceLengths, count) => {
          const ring = new SampleRing(capacity);
          const written: number[] = [];
          for (const length of pieceLengths) {
            const piece = Int16Array.from({ length }, (_, i) => written.length + i);
            ring.write(piece);
            written.push(...piece);
            const expected = written.slice(Math.max(0, written.length - Math.min(count, capacity)));
            expect([...ring.readLast(count)]).toEqual(count === 0 ? [] : expected);
          }
          expect(ring.writtenSamples).toBe(written.length);
          expect(ring.heldSamples).toBe(Math.min(capacity, written.length));
        },
      ),
    );
  });

  it('keeps its samples when it grows', () => {
    const ring = new SampleRing(4);
    ring.write(Int16Array.of(1, 2, 3, 4, 5));
    ring.reserve(3);
    expect(ring.capacitySamples).toBe(4);
    ring.reserve(6);
    expect([...ring.readLast(6)]).toEqual([2, 3, 4, 5]);
    ring.write(Int16Array.of(6, 7, 8));
    expect([...ring.readLast(6)]).toEqual([3, 4, 5, 6, 7, 8]);
    expect(ring.writtenSamples).toBe(8);
  });

  it('returns views of blocks, also after it has grown', () => {
    const ring = new SampleRing(4);
    ring.write(Int16Array.of(0, 1, 2, 3, 4));
    ring.write(Int16Array.of(5));
    expect([...ring.block(2, 2)]).toEqual([2, 3]);
    ring.reserve(6);
    ring.write(Int16Array.of(6, 7));
    expect([2, 4, 6].map((from) => [...ring.block(from, 2)])).toEqual([
      [2, 3],
      [4, 5],
      [6, 7],
    ]);
  });

  it('returns copies', () => {
    const ring = new SampleRing(4);
    ring.write(Int16Array.of(1, 2, 3));
    const read = ring.readLast(3);
    ring.write(Int16Array.of(4, 5, 6));
    expect([...read]).toEqual([1, 2, 3]);
    expect(ring.writtenSamples).toBe(6);
    expect(() => new SampleRing(0)).toThrow(RangeError);
  });
});
