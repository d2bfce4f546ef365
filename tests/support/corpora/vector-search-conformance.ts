import { beforeAll, describe, expect, it } from '@jest/globals';
import type { VectorSearch } from '@calls/corpora/vectors/vector-search';
import type { Database } from '@calls/store/store';
import { CorpusOfVectors, mixedVector, unitVector } from './vectors-of-corpora.ts';

const DIMENSIONS = 48;
const MODEL = "model's name";
const { signal } = new AbortController();

/** Tests that every vector search must pass. `open` is called once. */
export function describeVectorSearch(name: string, open: () => { db: Database; search: VectorSearch }): void {
  describe(`vector search: ${name}`, () => {
    const query = unitVector(DIMENSIONS, 1);
    /** In order of decreasing similarity to the query. */
    const vectors = Array.from({ length: 20 }, (_, i) =>
      mixedVector(query, unitVector(DIMENSIONS, i + 2), 1 - i / 20),
    );
    let db: Database;
    let search: VectorSearch;
    let corpus: CorpusOfVectors;

    const found = async (of = corpus, model = MODEL, limit = 5): Promise<(number | undefined)[]> => {
      const hits = await search.nearest({ corpusId: of.corpusId, model, vector: query, limit }, signal);
      const places = await of.places(hits.map(({ id }) => id));
      return places.filter((place) => place !== undefined);
    };

    beforeAll(async () => {
      ({ db, search } = open());
      corpus = await CorpusOfVectors.create(db);
      await corpus.add(MODEL, vectors);
    });

    it('returns the most similar vectors first, with their cosine', async () => {
      expect(await found()).toEqual([0, 1, 2, 3, 4]);
      const ofQuery = { corpusId: corpus.corpusId, model: MODEL, vector: query, limit: 100 };
      const hits = await search.nearest(ofQuery, signal);
      expect(hits).toHaveLength(vectors.length);
      const cosine = (vector: Float32Array): number =>
        vector.reduce((sum, number, i) => sum + number * (query[i] ?? 0), 0);
      const expected = vectors.map(cosine).sort((a, b) => b - a);
      for (const [i, { similarity }] of hits.entries()) expect(similarity).toBeCloseTo(expected[i] ?? 0, 2);
    });

    it('finds only vectors of the corpus, the model and the number of dimensions', async () => {
      const other = await CorpusOfVectors.create(db);
      expect(await found(other)).toEqual([]);
      expect(await found(corpus, 'other model')).toEqual([]);
      await other.add('long vectors', [unitVector(2 * DIMENSIONS, 1), unitVector(2 * DIMENSIONS, 2)]);
      expect(await found(other, 'long vectors')).toEqual([]);
      expect(await found()).toEqual([0, 1, 2, 3, 4]);
    });

    it('finds vectors of added documents and not of deleted ones', async () => {
      const changing = await CorpusOfVectors.create(db);
      const first = await changing.add(MODEL, vectors.slice(3));
      expect(await found(changing, MODEL, 1)).toEqual([0]);
      const second = await changing.add(MODEL, vectors.slice(0, 2));
      expect(await found(changing, MODEL, 3)).toEqual([0, 1, 0]);
      await changing.delete(second);
      expect((await found(changing, MODEL, 5)).slice(0, 3)).toEqual([0, 1, 2]);
      await changing.delete(first);
      expect(await found(changing)).toEqual([]);
    });

    it('finds the new vectors after passages are embedded with another model', async () => {
      const changing = await CorpusOfVectors.create(db);
      await changing.add(MODEL, vectors);
      await changing.embed('second model', vectors.toReversed());
      expect(await found(changing)).toEqual([]);
      expect(await found(changing, 'second model', 2)).toEqual([19, 18]);
    });
  });
}
