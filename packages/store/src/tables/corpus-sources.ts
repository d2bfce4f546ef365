import { newId } from '@calls/foundation/ids';
import type { SourceSpec } from '@calls/api-contract/rest/corpus';
import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CorpusSourceTable } from '../schema/corpus-tables.ts';
import type { Database } from '../store.ts';
import { insertOutbox } from './outbox.ts';

/** `documents`: number of readable documents. */
export type CorpusSourceRow = Selectable<CorpusSourceTable> & { documents: number };

function ofCorpus(db: Database, accountId: string, corpusId: string) {
  return db
    .selectFrom('corpus_sources')
    .selectAll()
    .select(
      sql<number>`(select count(*) from corpus_documents d
        where d.source_id = corpus_sources.source_id and d.chunk_count > 0)`.as('documents'),
    )
    .where('account_id', '=', accountId)
    .where('corpus_id', '=', corpusId);
}

/** Newest first. */
export function corpusSourcesOf(
  db: Database,
  accountId: string,
  corpusId: string,
): PageSource<CorpusSourceRow> {
  return pagesOf(ofCorpus(db, accountId, corpusId), orderedBy('desc', 'created_at', 'source_id'));
}

export interface SourceKey {
  accountId: string;
  corpusId: string;
  sourceId: string;
}

export function findCorpusSource(db: Database, key: SourceKey): Promise<CorpusSourceRow | undefined> {
  return ofCorpus(db, key.accountId, key.corpusId).where('source_id', '=', key.sourceId).executeTakeFirst();
}

/**
 * Locks a corpus against deletion until the end of the transaction; false if there is none. Lock order:
 * corpus, source, documents. This prevents deadlocks.
 */
export async function lockCorpus(tx: Database, accountId: string, corpusId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('corpora')
    .select('corpus_id')
    .where('account_id', '=', accountId)
    .where('corpus_id', '=', corpusId)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export function lockCorpusSource(
  tx: Database,
  key: SourceKey,
): Promise<Selectable<CorpusSourceTable> | undefined> {
  return tx
    .selectFrom('corpus_sources')
    .selectAll()
    .where('account_id', '=', key.accountId)
    .where('corpus_id', '=', key.corpusId)
    .where('source_id', '=', key.sourceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Inserts the source and requests its loading. */
export async function insertCorpusSource(
  tx: Database,
  row: SourceKey & { name: string; description: string; spec: SourceSpec; createdAt: Date },
): Promise<void> {
  await tx
    .insertInto('corpus_sources')
    .values({
      source_id: row.sourceId,
      corpus_id: row.corpusId,
      account_id: row.accountId,
      name: row.name,
      description: row.description,
      spec: asJson(row.spec),
      created_at: row.createdAt,
      loaded_at: null,
      last_error: null,
    })
    .execute();
  await orderLoading(tx, row.sourceId, 1);
}

/** A changed spec creates a new revision, which must be loaded. The caller has locked the source. */
export async function updateCorpusSource(
  tx: Database,
  sourceId: string,
  change: { name?: string | undefined; description?: string | undefined; spec?: SourceSpec | undefined },
): Promise<void> {
  const updated = await tx
    .updateTable('corpus_sources')
    .set((eb) => ({
      source_id: sourceId,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.spec !== undefined && {
        spec: asJson(change.spec),
        revision: eb('revision', '+', 1),
        state: 'loading' as const,
        begun_at: sql<Date>`now()`,
        due_at: sql<Date>`now()`,
        last_error: null,
      }),
    }))
    .where('source_id', '=', sourceId)
    .returning('revision')
    .executeTakeFirstOrThrow();
  if (change.spec !== undefined) await orderLoading(tx, sourceId, updated.revision);
}

export function orderLoading(tx: Database, sourceId: string, revision: number): Promise<void> {
  const payload = { kind: 'load_corpus_source', sourceId, revision };
  return insertOutbox(tx, newId(), { topic: 'job', payload });
}
