import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import { findCorpus } from '@calls/store/tables/corpora';
import { nextEmbeddingBatch, storeVectors } from '@calls/store/tables/corpus-vectors';
import { sql } from 'kysely';
import { FilledCorpus } from './corpus-of.ts';

const BATCH = 200;

/** A corpus whose passages have the given vectors, stored like a dispatcher does. */
export class CorpusOfVectors {
  readonly corpusId: string;
  readonly #db: Database;
  readonly #corpus: FilledCorpus;
  readonly #accountId: string;

  static async create(db: Database): Promise<CorpusOfVectors> {
    const accountId = newId();
    await insertAccount(db, { accountId, name: 'test', plan: 'SCALE', features: [], createdAt: new Date() });
    return new CorpusOfVectors(db, accountId, await FilledCorpus.create(db, accountId));
  }

  private constructor(db: Database, accountId: string, corpus: FilledCorpus) {
    this.#db = db;
    this.#accountId = accountId;
    this.#corpus = corpus;
    this.corpusId = corpus.corpusId;
  }

  /** Adds a document with a passage for each vector and returns its id. */
  async add(model: string, vectors: readonly Float32Array[]): Promise<string> {
    const chunks = vectors.map((_, i) => ({
      ...{ heading: '', content: `passage ${i}`, searchHeading: '', searchContent: '' },
    }));
    const ofDocument = { title: null, language: 'en', description: null, publishedAt: null };
    const documentId = await this.#corpus.add('a.md', { ...ofDocument, textConfig: 'simple', chunks });
    await this.embed(model, vectors);
    return documentId;
  }

  /**
   * Stores a vector for each passage that has none of the model: the vector with the index of the passage in its
   * document.
   */
  async embed(model: string, vectors: readonly Float32Array[]): Promise<void> {
    const corpus = { corpus_id: this.corpusId, account_id: this.#accountId };
    for (;;) {
      const batch = await nextEmbeddingBatch(this.#db, this.corpusId, { model, limit: BATCH });
      if (!batch) return;
      const ofBatch = batch.chunks.map(({ chunk_index: index }) => vectors[index] ?? new Float32Array(1));
      await storeVectors(this.#db, corpus, batch, { model, vectors: ofBatch });
    }
  }

  async delete(documentId: string): Promise<void> {
    await sql`delete from corpus_documents where document_id = ${documentId}`.execute(this.#db);
  }

  /** The same as in CorpusTotals. */
  async unindexedModels(): Promise<string[] | undefined> {
    return (await findCorpus(this.#db, this.#accountId, this.corpusId))?.unindexed_models;
  }

  /** Returns the index of each vector's passage in the document; undefined if the vector no longer exists. */
  async places(vectorIds: readonly number[]): Promise<(number | undefined)[]> {
    const { rows } = await sql<{ vector_id: number; chunk_index: number }>`
      select vector_id, chunk_index from corpus_vectors where vector_id = any (${vectorIds}::bigint[])`.execute(
      this.#db,
    );
    const places = new Map(rows.map((row) => [row.vector_id, row.chunk_index]));
    return vectorIds.map((id) => places.get(id));
  }
}

/** A pseudo-random unit vector, the same for the same seed. */
export function unitVector(dimensions: number, seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  const numbers = Float32Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
  return scaled(numbers);
}

/** A unit vector between two vectors. `share`: weight of the first. */
export function mixedVector(first: Float32Array, second: Float32Array, share: number): Float32Array {
  return scaled(first.map((number, i) => number * share + (second[i] ?? 0) * (1 - share)));
}

function scaled(numbers: Float32Array): Float32Array {
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}
