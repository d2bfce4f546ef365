import { newId } from '@calls/foundation/ids';
import { sql, type Selectable } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CorpusDocumentTable } from '../schema/corpus-tables.ts';
import type { Database } from '../store.ts';
import type { SourceKey } from './corpus-sources.ts';
import { insertOutbox } from './outbox.ts';

export type CorpusDocumentRow = Selectable<CorpusDocumentTable>;

function ofSource(db: Database, key: SourceKey) {
  return db
    .selectFrom('corpus_documents')
    .selectAll()
    .where('account_id', '=', key.accountId)
    .where('corpus_id', '=', key.corpusId)
    .where('source_id', '=', key.sourceId);
}

/** Newest first. */
export function corpusDocumentsOf(db: Database, key: SourceKey): PageSource<CorpusDocumentRow> {
  return pagesOf(ofSource(db, key), orderedBy('desc', 'created_at', 'document_id'));
}

export function findCorpusDocument(
  db: Database,
  key: SourceKey,
  documentId: string,
): Promise<CorpusDocumentRow | undefined> {
  return ofSource(db, key).where('document_id', '=', documentId).executeTakeFirst();
}

/** Inserts a document whose file is not uploaded yet; false if the account has no such corpus. */
export async function insertUpload(
  db: Database,
  upload: {
    documentId: string;
    accountId: string;
    corpusId: string;
    createdAt: Date;
    mimeType: string;
    fileName: string;
  },
): Promise<boolean> {
  const { rows } = await sql<{ document_id: string }>`
    insert into corpus_documents
      (document_id, corpus_id, account_id, created_at, mime_type, file_name, unassigned_at)
    select ${upload.documentId}, corpus_id, account_id, ${upload.createdAt}, ${upload.mimeType},
      ${upload.fileName}, now()
    from corpora where account_id = ${upload.accountId} and corpus_id = ${upload.corpusId}
    for key share
    returning document_id`.execute(db);
  return rows.length === 1;
}

export type UploadState = 'awaited' | 'there' | 'gone';

/** Whether the document still waits for its file. */
export async function uploadState(db: Database, documentId: string): Promise<UploadState> {
  const row = await db
    .selectFrom('corpus_documents')
    .select('object_key')
    .where('document_id', '=', documentId)
    .executeTakeFirst();
  if (!row) return 'gone';
  return row.object_key === null ? 'awaited' : 'there';
}

/** The first uploaded file belongs to the document; false for any later one. */
export async function storeUpload(
  db: Database,
  documentId: string,
  file: { objectKey: string; sizeBytes: number },
): Promise<boolean> {
  const row = await db
    .updateTable('corpus_documents')
    .set({ object_key: file.objectKey, size_bytes: file.sizeBytes })
    .where('document_id', '=', documentId)
    .where('object_key', 'is', null)
    .returning('document_id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface DocumentChoice {
  documentId: string;
  exampleQueries: string[];
}

/**
 * Assigns these uploads to a source and releases its other uploads. Returns the ids that the source cannot
 * use (not an upload of the corpus, file missing, or assigned to another source); if there are any, nothing
 * changes.
 */
export async function assignUploads(
  tx: Database,
  key: SourceKey,
  choices: readonly DocumentChoice[],
): Promise<string[]> {
  const ids = choices.map(({ documentId }) => documentId.toLowerCase());
  const rows =
    ids.length === 0
      ? []
      : await tx
          .selectFrom('corpus_documents')
          .select('document_id')
          .where('account_id', '=', key.accountId)
          .where('corpus_id', '=', key.corpusId)
          .where('document_id', 'in', ids)
          .where('object_key', 'is not', null)
          .where((eb) => eb.or([eb('source_id', 'is', null), eb('source_id', '=', key.sourceId)]))
          .orderBy('document_id')
          .forNoKeyUpdate()
          .execute();
  const usable = new Set(rows.map((row) => row.document_id));
  const refused = ids.filter((id) => !usable.has(id));
  if (refused.length > 0) return refused;
  await freeUploads(tx, key.sourceId, ids);
  await sql`
    update corpus_documents d
    set source_id = ${key.sourceId}, unassigned_at = null, example_queries = array(
      select jsonb_array_elements_text(choice.value -> 'exampleQueries'))
    from jsonb_array_elements(${JSON.stringify(choices)}::jsonb) choice
    where d.document_id = (choice.value ->> 'documentId')::uuid`.execute(tx);
  return [];
}

/** Documents released by a source can be assigned to another one and are no longer searchable. */
async function freeUploads(tx: Database, sourceId: string, assigned: readonly string[]): Promise<void> {
  const ids = sql`(select document_id from corpus_documents where source_id = ${sourceId}
    and object_key is not null and document_id <> all (${assigned}::uuid[]))`;
  await sql`delete from corpus_chunks where document_id in ${ids}`.execute(tx);
  await sql`
    update corpus_documents
    set source_id = null, unassigned_at = now(), chunk_count = 0, loaded_revision = 0,
      embedded_revision = 0, vector_count = 0
    where document_id in ${ids}`.execute(tx);
}

/** A job deletes objects that have no references left. */
const KEYS_PER_JOB = 500;

async function orderDeletion(tx: Database, keys: readonly string[]): Promise<void> {
  for (let i = 0; i < keys.length; i += KEYS_PER_JOB) {
    const payload = { kind: 'delete_objects', keys: keys.slice(i, i + KEYS_PER_JOB) };
    await insertOutbox(tx, newId(), { topic: 'job', payload });
  }
}

async function objectKeysOf(tx: Database, column: 'corpus_id' | 'source_id', id: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('corpus_documents')
    .select('object_key')
    .where(column, '=', id)
    .where('object_key', 'is not', null)
    .execute();
  return rows.flatMap(({ object_key }) => object_key ?? []);
}

/** Also deletes its documents with their text and files; false if there is none. */
export function deleteCorpusSource(db: Database, key: SourceKey): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const source = await tx
      .selectFrom('corpus_sources')
      .select('source_id')
      .where('account_id', '=', key.accountId)
      .where('corpus_id', '=', key.corpusId)
      .where('source_id', '=', key.sourceId)
      .forUpdate()
      .executeTakeFirst();
    if (!source) return false;
    await orderDeletion(tx, await objectKeysOf(tx, 'source_id', key.sourceId));
    await tx.deleteFrom('corpus_sources').where('source_id', '=', key.sourceId).execute();
    return true;
  });
}

/** Also deletes its contents; false if there is none. */
export function deleteCorpus(db: Database, accountId: string, corpusId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const corpus = await tx
      .selectFrom('corpora')
      .select('corpus_id')
      .where('account_id', '=', accountId)
      .where('corpus_id', '=', corpusId)
      .forUpdate()
      .executeTakeFirst();
    if (!corpus) return false;
    await orderDeletion(tx, await objectKeysOf(tx, 'corpus_id', corpusId));
    await tx.deleteFrom('corpora').where('corpus_id', '=', corpusId).execute();
    return true;
  });
}

/** Deletes uploads without a source for `ageMs`, at most `limit`. Returns their number. */
export function deleteUnusedUploads(db: Database, ageMs: number, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ object_key: string | null }>`
      delete from corpus_documents where document_id in (
        select document_id from corpus_documents
        where source_id is null and unassigned_at < now() - make_interval(secs => ${ageMs / 1000})
        order by unassigned_at limit ${limit} for update skip locked)
      returning object_key`.execute(tx);
    await orderDeletion(
      tx,
      rows.flatMap(({ object_key }) => object_key ?? []),
    );
    return rows.length;
  });
}
