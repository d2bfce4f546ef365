import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../store.ts';
import { lockCorpus, lockCorpusSource, type SourceKey } from './corpus-sources.ts';
import { ensureVectorIndex, indexVectors } from './corpus-vector-index.ts';

/** Documents of which some passage may have no vector of the model. */
function isPending(model: string): RawBuilder<boolean> {
  return sql`d.chunk_count > 0 and d.source_id is not null
    and (d.embedding_model is distinct from ${model} or d.embedded_revision <> d.loaded_revision)`;
}

/** Lets a dispatcher look for passages of the corpus that have no vector. */
export async function requestEmbedding(db: Database, corpusId: string): Promise<void> {
  await sql`
    update corpora set embedding_due_at = now()
    where corpus_id = ${corpusId} and retrieval = 'hybrid' and embedding_due_at is null`.execute(db);
}

/** The same for all corpora with such passages, at most `limit`: after a change of the model, or a lost request. */
export async function requestMissedEmbedding(db: Database, model: string, limit: number): Promise<number> {
  const { rows } = await sql`
    update corpora set embedding_due_at = now() where corpus_id in (
      select c.corpus_id from corpora c
      where c.retrieval = 'hybrid' and c.embedding_due_at is null
        and exists (select from corpus_documents d where d.corpus_id = c.corpus_id and ${isPending(model)})
      limit ${limit} for no key update skip locked)
    returning corpus_id`.execute(db);
  return rows.length;
}

export interface CorpusToEmbed {
  corpus_id: string;
  account_id: string;
}

/** Claims a corpus that is due for `claimMs`, so that no other process embeds it. Undefined if none is due. */
export async function claimCorpusToEmbed(db: Database, claimMs: number): Promise<CorpusToEmbed | undefined> {
  const { rows } = await sql<CorpusToEmbed>`
    update corpora set embedding_due_at = now() + make_interval(secs => ${claimMs / 1000})
    where corpus_id = (
      select corpus_id from corpora where embedding_due_at <= now()
      order by embedding_due_at limit 1 for no key update skip locked)
    returning corpus_id, account_id`.execute(db);
  return rows[0];
}

/** Ends a run. It is due again after `retryMs` if it failed, and immediately if passages without a vector remain. */
export async function releaseCorpusToEmbed(
  db: Database,
  corpusId: string,
  { model, failure }: { model: string; failure: { reason: string; retryMs: number } | null },
): Promise<void> {
  const dueAt = failure
    ? sql`now() + make_interval(secs => ${failure.retryMs / 1000})`
    : sql`case when retrieval = 'hybrid' and exists (
        select from corpus_documents d where d.corpus_id = corpora.corpus_id and ${isPending(model)})
      then now() end`;
  await sql`
    update corpora set embedding_due_at = ${dueAt}, embedding_error = ${failure?.reason ?? null}
    where corpus_id = ${corpusId}`.execute(db);
}

export interface UnembeddedChunk {
  document_id: string;
  chunk_index: number;
  heading: string;
  content: string;
}

export interface EmbeddingBatch {
  sourceId: string;
  /** Empty if the documents only have to be checked off. */
  chunks: UnembeddedChunk[];
  /** Revisions for which the documents of the batch were loaded. */
  revisions: Map<string, number>;
}

interface PendingDocument {
  document_id: string;
  source_id: string;
  loaded_revision: number;
  /** Passages without a vector. */
  missing: number;
}

const DOCUMENTS_PER_BATCH = 200;

/** Passages of one source that have no vector of the model; undefined if the corpus has none left. */
export async function nextEmbeddingBatch(
  db: Database,
  corpusId: string,
  { model, limit }: { model: string; limit: number },
): Promise<EmbeddingBatch | undefined> {
  const { rows: documents } = await sql<PendingDocument>`
    select document_id, source_id, loaded_revision,
      chunk_count - case when embedding_model = ${model} then vector_count else 0 end as missing
    from corpus_documents d
    where corpus_id = ${corpusId} and ${isPending(model)}
    order by source_id, document_id limit ${sql.lit(DOCUMENTS_PER_BATCH)}`.execute(db);
  const sourceId = documents[0]?.source_id;
  if (sourceId === undefined) return undefined;
  // No more documents than the batch needs, because the search for their passages reads all of them.
  let missing = 0;
  const ofSource = documents.filter((document) => {
    const isNeeded = document.source_id === sourceId && missing < limit;
    missing += document.missing;
    return isNeeded;
  });
  const { rows: chunks } = await sql<UnembeddedChunk>`
    select document_id, chunk_index, heading, content from corpus_chunks c
    where document_id = any (${ofSource.map(({ document_id }) => document_id)}::uuid[])
      and not exists (select from corpus_vectors v where v.document_id = c.document_id
        and v.chunk_index = c.chunk_index and v.model = ${model})
    order by document_id, chunk_index limit ${limit}`.execute(db);
  // With a full batch, some documents may have further passages: they are due again.
  const revisions = new Map(
    ofSource.map(({ document_id, loaded_revision }) => [document_id, loaded_revision]),
  );
  return { sourceId, chunks, revisions };
}

/**
 * Stores the vectors of a batch, each for the passage at its index, and checks off the documents that are complete.
 * Passages that were replaced in the meantime are omitted.
 */
export async function storeVectors(
  db: Database,
  corpus: CorpusToEmbed,
  batch: EmbeddingBatch,
  { model, vectors }: { model: string; vectors: readonly Float32Array[] },
): Promise<void> {
  const key: SourceKey = {
    accountId: corpus.account_id,
    corpusId: corpus.corpus_id,
    sourceId: batch.sourceId,
  };
  const buffers = vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
  const isIndexed = await ensureVectorIndex(
    db,
    vectors.map(({ length: dimensions }) => ({ model, dimensions })),
  );
  await db.transaction().execute(async (tx) => {
    if (!(await lockCorpus(tx, key.accountId, key.corpusId))) return;
    // Ids of vectors are then in the order of the transactions.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`vectors of ${key.corpusId}`}, 0))`.execute(tx);
    if (!(await lockCorpusSource(tx, key))) return;
    const ids = [...batch.revisions.keys()];
    const revisions = [...batch.revisions.values()];
    if (batch.chunks.length > 0) {
      await sql`
        insert into corpus_vectors (document_id, chunk_index, corpus_id, model, vector)
        select c.document_id, c.chunk_index, c.corpus_id, ${model}, part.vector
        from unnest(${batch.chunks.map(({ document_id }) => document_id)}::uuid[],
            ${batch.chunks.map(({ chunk_index }) => chunk_index)}::integer[], ${buffers}::bytea[])
            as part (document_id, chunk_index, vector)
          join corpus_chunks c using (document_id, chunk_index)
          join corpus_documents d using (document_id)
          join unnest(${ids}::uuid[], ${revisions}::integer[]) as read (document_id, revision)
            on read.document_id = d.document_id and read.revision = d.loaded_revision
        on conflict (document_id, chunk_index)
        do update set model = excluded.model, vector = excluded.vector, vector_id = default`.execute(tx);
      if (isIndexed) await indexVectors(tx, { corpusId: key.corpusId, model, limit: batch.chunks.length });
    }
    await sql`
      update corpus_documents d
      set embedding_model = ${model}, vector_count = v.count,
        embedded_revision = case when v.count = chunks.count then d.loaded_revision else 0 end
      from unnest(${ids}::uuid[]) as read (document_id)
        cross join lateral (
          select count(*)::integer as count from corpus_vectors
          where document_id = read.document_id and model = ${model}) v
        cross join lateral (
          select count(*)::integer as count from corpus_chunks
          where document_id = read.document_id) chunks
      where d.document_id = read.document_id
        and (v.count > 0 or d.embedding_model is distinct from ${model})`.execute(tx);
  });
}

/** Changes whenever vectors of the corpus and the model are written or deleted. */
export interface VectorState {
  count: number;
  /** 0 if there are none. */
  lastId: number;
}

export async function vectorState(db: Database, corpusId: string, model: string): Promise<VectorState> {
  const { rows } = await sql<{ count: number; last_id: number | null }>`
    select
      (select coalesce(sum(vector_count), 0) from corpus_documents
        where corpus_id = ${corpusId} and embedding_model = ${model}) as count,
      (select max(vector_id) from corpus_vectors
        where corpus_id = ${corpusId} and model = ${model}) as last_id`.execute(db);
  return { count: rows[0]?.count ?? 0, lastId: rows[0]?.last_id ?? 0 };
}

export interface StoredVector {
  vector_id: number;
  vector: Buffer;
}

/** Vectors with ids after `afterId` up to `lastId`, in the order of their ids. */
export async function vectorsBetween(
  db: Database,
  corpus: { corpusId: string; model: string },
  { afterId, lastId, limit }: { afterId: number; lastId: number; limit: number },
): Promise<StoredVector[]> {
  const { rows } = await sql<StoredVector>`
    select vector_id, vector from corpus_vectors
    where corpus_id = ${corpus.corpusId} and model = ${corpus.model}
      and vector_id > ${afterId} and vector_id <= ${lastId}
    order by vector_id limit ${limit}`.execute(db);
  return rows;
}
