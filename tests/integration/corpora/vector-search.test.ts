import { afterAll, describe, expect, it } from '@jest/globals';
import {
  ChosenVectorSearch,
  VectorIndex,
  type VectorSearchMethod,
} from '@calls/corpora/vectors/vector-index';
import { VectorThread } from '@calls/corpora/vectors/vector-thread';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { migrate } from '@calls/store/migrate';
import {
  ensureVectorIndex,
  indexMissedVectors,
  prepareVectorIndex,
} from '@calls/store/tables/corpus-vector-index';
import { sql } from 'kysely';
import { describeVectorSearch } from '../../support/corpora/vector-search-conformance.ts';
import { CorpusOfVectors, mixedVector, unitVector } from '../../support/corpora/vectors-of-corpora.ts';
import { startPgvectorServer } from '../../support/pgvector-server/pgvector-server.ts';
import { eventually } from '../../support/eventually.ts';
import { LONG_QUERY_LIMIT_MS } from '../../support/lifted-limits.ts';
import { ScratchServers } from '../../support/scratch-servers.ts';
import { openTestStore } from '../../support/test-store.ts';

const CACHE_BYTES = 2 ** 26;
const MODEL = 'model';
const DIMENSIONS = 32;
/** Number of queries that are compared with an exact search. */
const QUERIES = 10;
const LIMIT = 50;
const { signal } = new AbortController();

const used: VectorSearchMethod[] = [];

const server = await startPgvectorServer();
const url = server.ready;
const store = openTestStore(url, { poolSize: 4 });
await migrate(store.db);
const exact = await VectorThread.start(
  { databaseUrl: url, queryLimitMs: LONG_QUERY_LIMIT_MS, maxBytes: CACHE_BYTES },
  { log: silentLogger, clock: systemClock },
);
afterAll(async () => {
  await exact[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const chosen = (): ChosenVectorSearch =>
  new ChosenVectorSearch({
    ...{ db: store.db, exact, log: silentLogger },
    onSearch: (method) => used.push(method),
  });

async function indexScans(): Promise<number> {
  const { rows } = await sql<{ scans: number }>`
    select idx_scan as scans from pg_stat_user_indexes
    where indexrelname like ${`corpus_vectors_hnsw_${DIMENSIONS}_%`}`.execute(store.db);
  return rows[0]?.scans ?? 0;
}

const methods = (): VectorSearchMethod[] => used.splice(0);

describe('the pgvector index', () => {
  it('is not created when the extension is not installed', async () => {
    const servers = await ScratchServers.open();
    const { url } = await servers.database();
    await using without = openTestStore(url, { poolSize: 2 });
    // A developer's PostgreSQL may have it.
    const state = await prepareVectorIndex(without.db);
    expect(['not installed', 'ready', 'too old']).toContain(state);
    expect(await ensureVectorIndex(without.db, [])).toBe(state === 'ready');
    expect(await indexMissedVectors(without.db, 10)).toBe(0);
    await servers.close();
  });

  it('includes vectors that were stored before the extension was installed', async () => {
    const query = unitVector(DIMENSIONS, 1);
    const corpus = await CorpusOfVectors.create(store.db);
    await corpus.add(MODEL, [unitVector(DIMENSIONS, 2), query]);
    const found = async (): Promise<(number | undefined)[]> => {
      const hits = await chosen().nearest(
        { corpusId: corpus.corpusId, model: MODEL, vector: query, limit: 1 },
        signal,
      );
      return corpus.places(hits.map(({ id }) => id));
    };
    expect(await found()).toEqual([1]);
    // All connections to this server share one session.
    await sql`create role limited`.execute(store.db);
    await sql`grant all on all tables in schema public to limited`.execute(store.db);
    await sql`set role limited`.execute(store.db);
    expect(await prepareVectorIndex(store.db)).toMatch(/^failed: permission denied/u);
    await sql`reset role`.execute(store.db);
    expect(await prepareVectorIndex(store.db)).toBe('ready');
    expect(await prepareVectorIndex(store.db)).toBe('ready');
    expect(await found()).toEqual([1]);
    expect(methods()).toEqual(['exact', 'exact']);
    expect(await corpus.unindexedModels()).toEqual([MODEL]);
    expect(await indexMissedVectors(store.db, 10)).toBe(2);
    expect(await indexMissedVectors(store.db, 10)).toBe(0);
    expect(await found()).toEqual([1]);
    expect(methods()).toEqual(['hnsw']);
    expect(await corpus.unindexedModels()).toEqual([]);
  });

  it('has a recall above 95 %, even for a small corpus next to a large one', async () => {
    const centers = Array.from({ length: 40 }, (_, i) => unitVector(DIMENSIONS, 1000 + i));
    const near = (i: number): Float32Array =>
      mixedVector(centers[i % centers.length]!, unitVector(DIMENSIONS, 2000 + i), 0.6);
    const large = await CorpusOfVectors.create(store.db);
    await large.add(
      MODEL,
      Array.from({ length: 800 }, (_, i) => near(i)),
    );
    const small = await CorpusOfVectors.create(store.db);
    await small.add(
      MODEL,
      Array.from({ length: 60 }, (_, i) => near(800 + i)),
    );
    // Without it, the planner compares all vectors of corpora as small as these.
    await sql`set enable_sort = off`.execute(store.db);
    const before = await indexScans();
    const index = new VectorIndex(store.db);
    for (const { corpusId } of [large, small]) {
      // Index scans end early and find too few vectors of the small corpus.
      if (corpusId === small.corpusId) await sql`set hnsw.max_scan_tuples = 1`.execute(store.db);
      let common = 0;
      for (let i = 0; i < QUERIES; i += 1) {
        const query = { corpusId, model: MODEL, vector: near(10_000 + i), limit: LIMIT };
        const expected = new Set((await exact.nearest(query, signal)).map(({ id }) => id));
        const hits = await index.nearest(query, signal);
        expect(hits).toHaveLength(LIMIT);
        common += hits.filter(({ id }) => expected.has(id)).length;
      }
      expect(common / (QUERIES * LIMIT)).toBeGreaterThan(0.95);
    }
    await sql`reset enable_sort`.execute(store.db);
    await sql`reset hnsw.max_scan_tuples`.execute(store.db);
    await eventually(async () => expect(await indexScans()).toBe(before + 2 * QUERIES));
  });

  it('leaves vectors with too many dimensions to exact search', async () => {
    const corpus = await CorpusOfVectors.create(store.db);
    const long = [unitVector(4001, 1), unitVector(4001, 2)];
    await corpus.add('long vectors', long);
    const query = { corpusId: corpus.corpusId, model: 'long vectors', vector: long[1]!, limit: 1 };
    const hits = await chosen().nearest(query, signal);
    expect(await corpus.places(hits.map(({ id }) => id))).toEqual([1]);
    expect(methods()).toEqual(['exact']);
    expect(await indexMissedVectors(store.db, 10)).toBe(0);
  });
});

describeVectorSearch('exact search', () => ({ db: store.db, search: exact }));
describeVectorSearch('the pgvector index', () => ({ db: store.db, search: new VectorIndex(store.db) }));
describeVectorSearch('the best available method', () => ({ db: store.db, search: chosen() }));
