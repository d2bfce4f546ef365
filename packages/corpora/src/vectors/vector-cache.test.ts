import { describe, expect, it } from '@jest/globals';
import type { StoredVector } from '@calls/store/tables/corpus-vectors';
import { VectorCache, VectorsTooLargeError, type VectorSource } from './vector-cache.ts';
import { BLOCK_BYTES } from './vector-memory.ts';

const DIMENSIONS = 1024;
/** Number of vectors of that length in a block. */
const PER_BLOCK = BLOCK_BYTES / (DIMENSIONS * 4);
const MODEL = 'model';

/** Vectors in memory, and the ranges that were read. */
class Corpora implements VectorSource {
  readonly reads: string[] = [];
  readonly #vectors = new Map<string, StoredVector[]>();
  #nextId = 1;

  add(corpusId: string, count: number): void {
    const vectors = this.#vectors.get(corpusId) ?? [];
    for (let i = 0; i < count; i += 1) {
      const vector = new Float32Array(DIMENSIONS);
      vector[0] = this.#nextId;
      vectors.push({ vector_id: this.#nextId, vector: Buffer.from(vector.buffer) });
      this.#nextId += 1;
    }
    this.#vectors.set(corpusId, vectors);
  }

  delete(corpusId: string, count: number): void {
    this.#vectors.get(corpusId)?.splice(0, count);
  }

  state(corpusId: string): ReturnType<VectorSource['state']> {
    const vectors = this.#vectors.get(corpusId) ?? [];
    return Promise.resolve({ count: vectors.length, lastId: vectors.at(-1)?.vector_id ?? 0 });
  }

  between(
    { corpusId }: { corpusId: string },
    { afterId, lastId, limit }: { afterId: number; lastId: number; limit: number },
  ): Promise<StoredVector[]> {
    this.reads.push(`${corpusId} after ${afterId}`);
    const vectors = this.#vectors.get(corpusId) ?? [];
    const inRange = vectors.filter(({ vector_id: id }) => id > afterId && id <= lastId);
    return Promise.resolve(inRange.slice(0, limit));
  }
}

const first = new Float32Array(DIMENSIONS);
first[0] = 1;
const nearest = async (cache: VectorCache, corpusId: string): Promise<number | undefined> => {
  const [hit] = await cache.nearest({ corpusId, model: MODEL, vector: first, limit: 3 });
  return hit?.id;
};

describe('VectorCache', () => {
  it('reads a corpus once, and later only added vectors', async () => {
    const corpora = new Corpora();
    const cache = new VectorCache(corpora, 16 * BLOCK_BYTES);
    corpora.add('a', 5);
    expect(await Promise.all([nearest(cache, 'a'), nearest(cache, 'a')])).toEqual([5, 5]);
    corpora.add('a', 2);
    expect(await nearest(cache, 'a')).toBe(7);
    expect(corpora.reads).toEqual(['a after 0', 'a after 5']);
    expect(await nearest(cache, 'unknown')).toBeUndefined();
  });

  it('reads a corpus in parts', async () => {
    const corpora = new Corpora();
    corpora.add('a', 1500);
    expect(await nearest(new VectorCache(corpora, 16 * BLOCK_BYTES), 'a')).toBe(1500);
    expect(corpora.reads).toEqual(['a after 0', 'a after 1000']);
  });

  it('reads a corpus again after many of its vectors were deleted', async () => {
    const corpora = new Corpora();
    const cache = new VectorCache(corpora, 16 * BLOCK_BYTES);
    corpora.add('a', 10);
    await nearest(cache, 'a');
    corpora.delete('a', 1);
    await nearest(cache, 'a');
    expect(corpora.reads).toHaveLength(1);
    corpora.delete('a', 3);
    await nearest(cache, 'a');
    expect(corpora.reads).toEqual(['a after 0', 'a after 0']);
  });

  it('frees the memory of the least recently queried corpus', async () => {
    const corpora = new Corpora();
    const cache = new VectorCache(corpora, 4 * BLOCK_BYTES);
    for (const corpusId of ['a', 'b', 'c']) corpora.add(corpusId, PER_BLOCK);
    for (const corpusId of ['a', 'b', 'c', 'a']) await nearest(cache, corpusId);
    corpora.add('d', PER_BLOCK);
    await nearest(cache, 'd');
    corpora.reads.splice(0);
    for (const corpusId of ['a', 'c', 'd', 'b']) await nearest(cache, corpusId);
    expect(corpora.reads).toEqual(['b after 0']);
  });

  it('rejects a query whose vectors were freed for another corpus while it waited', async () => {
    const corpora = new Corpora();
    const cache = new VectorCache(corpora, 2 * BLOCK_BYTES);
    for (const corpusId of ['a', 'b']) corpora.add(corpusId, PER_BLOCK);
    const [a, b] = await Promise.allSettled([nearest(cache, 'a'), nearest(cache, 'b')]);
    expect(a).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('evicted') } });
    expect(b).toEqual({ status: 'fulfilled', value: 2 * PER_BLOCK });
    expect(await nearest(cache, 'a')).toBe(PER_BLOCK);
  });

  it('rejects a corpus that needs more memory than is available', async () => {
    const corpora = new Corpora();
    const cache = new VectorCache(corpora, 3 * BLOCK_BYTES);
    corpora.add('a', 3 * PER_BLOCK);
    await expect(nearest(cache, 'a')).rejects.toThrow(VectorsTooLargeError);
    corpora.delete('a', PER_BLOCK);
    expect(await nearest(cache, 'a')).toBe(3 * PER_BLOCK);
  });
});
