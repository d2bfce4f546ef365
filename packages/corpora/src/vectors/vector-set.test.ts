import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BLOCK_BYTES, VectorMemory } from './vector-memory.ts';
import { VectorSet } from './vector-set.ts';

const bytesOf = (numbers: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(numbers).buffer);

function setOf(memory: VectorMemory, vectors: readonly (readonly number[])[], dimensions: number): VectorSet {
  const set = new VectorSet(dimensions, memory);
  for (const [id, vector] of vectors.entries()) set.add(id, bytesOf(vector), () => memory.allocate()!);
  return set;
}

describe('VectorSet', () => {
  it('finds the same vectors as a brute-force search', () => {
    const memory = new VectorMemory(2 * BLOCK_BYTES);
    const number = fc.integer({ min: -20, max: 20 });
    const dimensions = fc.integer({ min: 1, max: 40 });
    const input = dimensions.chain((length) => {
      const vector = fc.array(number, { minLength: length, maxLength: length });
      return fc.record({
        all: fc.array(vector, { maxLength: 40 }),
        query: vector,
        limit: fc.nat({ max: 9 }),
      });
    });
    fc.assert(
      fc.property(input, ({ all, query, limit }) => {
        using set = setOf(memory, all, query.length);
        const expected = all
          .map((vector, id) => ({ id, similarity: vector.reduce((sum, n, i) => sum + n * query[i]!, 0) }))
          .sort((a, b) => b.similarity - a.similarity)
          .slice(0, limit);
        expect(set.nearest(Float32Array.from(query), limit)).toEqual(expected);
      }),
    );
  });

  it('grows over several blocks, and frees them on disposal', () => {
    const memory = new VectorMemory(4 * BLOCK_BYTES);
    const vectors = Array.from({ length: 70_000 }, (_, id) => [id, 0]);
    const set = setOf(memory, vectors, 2);
    expect(VectorSet.blocksFor(70_000, 2)).toBe(3);
    expect(set.nearest(Float32Array.of(1, 0), 3).map(({ id }) => id)).toEqual([69_999, 69_998, 69_997]);
    expect(memory.allocate()).toBeNull();
    set[Symbol.dispose]();
    expect(set.nearest(Float32Array.of(1, 0), 3)).toEqual([]);
    expect(memory.allocate()).not.toBeNull();
  });

  it('ignores vectors of another length', () => {
    const set = setOf(new VectorMemory(2 * BLOCK_BYTES), [[1, 2, 3]], 2);
    expect(set.nearest(Float32Array.of(1, 0), 5)).toEqual([]);
  });
});
