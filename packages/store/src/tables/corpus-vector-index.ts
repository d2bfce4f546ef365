import { createHash } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import { DatabaseError } from 'pg';
import { withSetUpLock, type Database } from '../store.ts';

// The index is HNSW of pgvector over `corpus_vectors.embedding`, a copy of each vector with 16 bits for a number: an index
// of the type `vector` ends at 2,000 dimensions, one of `halfvec` at 4,000. Because the extension may be missing,
// prepare-database adds the column, not a migration.

/** The first version with iterative scans, which continue until enough vectors of a corpus are found. */
const MIN_VERSION = [0, 8] as const;
const MAX_INDEXED_DIMENSIONS = 4000;
const BYTES_PER_NUMBER = 4;
/** Candidates of a scan; more find more of the most similar vectors. */
const SEARCH_CANDIDATES = 200;
/** Number of vectors that can be added within the time limit of a query. */
const VECTORS_PER_UPDATE = 50;

export type VectorIndexState = 'ready' | 'not installed' | 'too old' | `failed: ${string}`;

/** Adds what the index needs if the server has pgvector. Idempotent. Without it, vectors are searched exactly. */
export function prepareVectorIndex(db: Database): Promise<VectorIndexState> {
  return withSetUpLock(db, 'vector index', async (tx) => {
    const hasColumn = await hasIndexColumn(tx);
    if (hasColumn) return 'ready';
    // The extension may have been removed, and its column with it.
    await sql`update corpus_vectors set indexed_vector_id = null where indexed_vector_id is not null`.execute(
      tx,
    );
    const { rows } = await sql<{ installed: string | null; available: string }>`
      select installed_version as installed, default_version as available
      from pg_available_extensions where name = 'vector'`.execute(tx);
    const [extension] = rows;
    if (!extension) return 'not installed';
    if (!isRecent(extension.installed ?? extension.available)) return 'too old';
    return addColumn(tx);
  });
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
}

/** Fails if only a superuser may create the extension, or it is in a schema that is not searched. */
async function addColumn(tx: Database): Promise<VectorIndexState> {
  await sql`savepoint vector_index`.execute(tx);
  try {
    await sql`create extension if not exists vector`.execute(tx);
    await sql`alter table corpus_vectors add column embedding halfvec`.execute(tx);
    return 'ready';
  } catch (thrown) {
    if (!(thrown instanceof DatabaseError)) throw thrown;
    await sql`rollback to savepoint vector_index`.execute(tx);
    return `failed: ${thrown.message}`;
  }
}

async function hasIndexColumn(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute
    where attrelid = 'corpus_vectors'::regclass and attname = 'embedding' and not attisdropped`.execute(db);
  return rows.length > 0;
}

interface IndexedVectors {
  model: string;
  dimensions: number;
}

/**
 * Creates the indexes that vectors need, before they are written: an index has one number of dimensions. False if the
 * database has no pgvector.
 */
export async function ensureVectorIndex(db: Database, vectors: readonly IndexedVectors[]): Promise<boolean> {
  if (!(await hasIndexColumn(db))) return false;
  const indexes = new Map(vectors.map((each) => [indexName(each), each]));
  for (const [name, each] of indexes) {
    if (each.dimensions > MAX_INDEXED_DIMENSIONS) continue;
    const { rows } = await sql<{ exists: boolean }>`
      select to_regclass(${name}) is not null as exists`.execute(db);
    if (rows[0]?.exists === true) continue;
    await sql`
      create index if not exists ${sql.id(name)} on corpus_vectors
      using hnsw ((${embedding(each)}) halfvec_cosine_ops) where ${isOf(each)}`.execute(db);
  }
  return true;
}

function indexName({ model, dimensions }: IndexedVectors): string {
  const hash = createHash('sha256').update(model).digest('hex').slice(0, 16);
  return `corpus_vectors_hnsw_${dimensions}_${hash}`;
}

const embedding = ({ dimensions }: IndexedVectors): RawBuilder<unknown> =>
  sql`embedding::halfvec(${sql.lit(dimensions)})`;

/** The condition of an index, with literals, by which the planner recognizes it. */
const isOf = ({ model, dimensions }: IndexedVectors): RawBuilder<unknown> =>
  sql`model = ${sql.lit(model)} and vector_dims(embedding) = ${sql.lit(dimensions)}`;

interface UnindexedVector {
  document_id: string;
  chunk_index: number;
  vector: Buffer;
}

/** Adds up to `limit` vectors of a corpus that are not in the index; returns how many. Their indexes must exist. */
export async function indexVectors(
  db: Database,
  { corpusId, model, limit }: { corpusId: string; model: string; limit: number },
): Promise<number> {
  let indexed = 0;
  while (indexed < limit) {
    const { rows } = await sql<UnindexedVector>`
      select document_id, chunk_index, vector from corpus_vectors
      where corpus_id = ${corpusId} and model = ${model} and ${isMissing()}
      limit ${Math.min(VECTORS_PER_UPDATE, limit - indexed)} for no key update skip locked`.execute(db);
    if (rows.length === 0) break;
    const documentIds = rows.map(({ document_id }) => document_id);
    const chunkIndexes = rows.map(({ chunk_index }) => chunk_index);
    const embeddings = rows.map(({ vector }) => asLiteral(vector));
    await sql`
      update corpus_vectors v set embedding = part.embedding::halfvec, indexed_vector_id = v.vector_id
      from unnest(${documentIds}::uuid[], ${chunkIndexes}::integer[], ${embeddings}::text[])
          as part (document_id, chunk_index, embedding)
      where v.document_id = part.document_id and v.chunk_index = part.chunk_index`.execute(db);
    indexed += rows.length;
  }
  return indexed;
}

/** Vectors that are not in the index and fit in one. */
function isMissing(): RawBuilder<boolean> {
  return sql`indexed_vector_id is distinct from vector_id
    and octet_length(vector) <= ${sql.lit(MAX_INDEXED_DIMENSIONS * BYTES_PER_NUMBER)}`;
}

function asLiteral(bytes: Buffer): string {
  const numbers = Array.from({ length: bytes.byteLength / BYTES_PER_NUMBER }, (_, i) =>
    bytes.readFloatLE(i * BYTES_PER_NUMBER),
  );
  return `[${numbers.join(',')}]`;
}

/**
 * Adds up to `limit` vectors of some corpus that were written before the database had pgvector; returns how many. 0 if
 * none is left, or if other processes add them.
 */
export async function indexMissedVectors(db: Database, limit: number): Promise<number> {
  if (!(await hasIndexColumn(db))) return 0;
  const { rows } = await sql<{ corpus_id: string; model: string; dimensions: number }>`
    select corpus_id, model, octet_length(vector) / ${sql.lit(BYTES_PER_NUMBER)} as dimensions
    from corpus_vectors where ${isMissing()} limit 1`.execute(db);
  const [missing] = rows;
  if (!missing) return 0;
  const { corpus_id: corpusId, model, dimensions } = missing;
  await ensureVectorIndex(db, [{ model, dimensions }]);
  return db.transaction().execute((tx) => indexVectors(tx, { corpusId, model, limit }));
}

/** Whether the corpus has vectors, and the index all of them. */
export async function isCorpusIndexed(db: Database, corpusId: string, model: string): Promise<boolean> {
  const of = sql`corpus_id = ${corpusId} and model = ${model}`;
  const { rows } = await sql<{ is_indexed: boolean }>`
    select exists (select from corpus_vectors where ${of})
      and not exists (select from corpus_vectors where ${of} and indexed_vector_id is distinct from vector_id)
      as is_indexed`.execute(db);
  return rows[0]?.is_indexed ?? false;
}

/**
 * Most similar first. A scan of the index ends after some number of vectors, including those of other corpora. If it
 * has found too few, all vectors of the corpus are compared.
 */
export async function nearestInIndex(
  db: Database,
  query: { corpusId: string; model: string; vector: Float32Array; limit: number },
): Promise<{ id: number; similarity: number }[]> {
  const { corpusId, model, vector, limit } = query;
  const of = { model, dimensions: vector.length };
  const distance = sql`${embedding(of)} <=> ${`[${vector.join(',')}]`}::halfvec(${sql.lit(of.dimensions)})`;
  return db.transaction().execute(async (tx) => {
    const nearestBy = async (order: RawBuilder<unknown>) => {
      const { rows } = await sql<{ id: number; similarity: number }>`
        select vector_id as id, 1 - (${distance}) as similarity from corpus_vectors
        where corpus_id = ${corpusId} and ${isOf(of)}
        order by ${order} limit ${limit}`.execute(tx);
      return rows;
    };
    await sql`
      select set_config('hnsw.ef_search', ${String(SEARCH_CANDIDATES)}, true),
        set_config('hnsw.iterative_scan', 'strict_order', true)`.execute(tx);
    const found = await nearestBy(distance);
    // No index has the order of a sum.
    return found.length < limit ? nearestBy(sql`(${distance}) + 0`) : found;
  });
}
