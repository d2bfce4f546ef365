import { sql, type Selectable } from 'kysely';
import { asText } from '../as-json.ts';
import type { CorpusDocumentTable, CorpusSourceTable } from '../schema/corpus-tables.ts';
import type { Database } from '../store.ts';
import { lockCorpus, lockCorpusSource, orderLoading, type SourceKey } from './corpus-sources.ts';

export type LoadingSource = Selectable<CorpusSourceTable>;

/**
 * Claims a source for `claimMs`, so that no other process loads it; call again before that time is over.
 * Undefined if the revision is loaded, outdated or deleted, or if another process has claimed the source.
 */
export function claimSource(
  db: Database,
  sourceId: string,
  revision: number,
  claimMs: number,
): Promise<LoadingSource | undefined> {
  return db
    .updateTable('corpus_sources')
    .set({ due_at: sql<Date>`now() + make_interval(secs => ${claimMs / 1000})` })
    .where('source_id', '=', sourceId)
    .where('revision', '=', revision)
    .where('state', '=', 'loading')
    .where('due_at', '<=', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst();
}

/** Extends a claim. False if the revision is no longer to be loaded. */
export async function renewSourceClaim(
  db: Database,
  source: LoadingSource,
  claimMs: number,
): Promise<boolean> {
  const row = await db
    .updateTable('corpus_sources')
    .set({ due_at: sql<Date>`now() + make_interval(secs => ${claimMs / 1000})` })
    .where('source_id', '=', source.source_id)
    .where('revision', '=', source.revision)
    .where('state', '=', 'loading')
    .returning('source_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Releases a source that is not loaded yet; `goOn` requests another run. */
export function releaseSource(db: Database, source: LoadingSource, goOn: boolean): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('corpus_sources')
      .set({ due_at: sql<Date>`now()` })
      .where('source_id', '=', source.source_id)
      .where('revision', '=', source.revision)
      .where('state', '=', 'loading')
      .returning('source_id')
      .executeTakeFirst();
    if (row && goOn) await orderLoading(tx, source.source_id, source.revision);
  });
}

/**
 * Requests new jobs for sources that should be loading but have been idle for `idleMs`, because their jobs
 * were lost. Returns their number.
 */
export function orderLostLoading(db: Database, idleMs: number, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ source_id: string; revision: number }>`
      update corpus_sources set due_at = now() where source_id in (
        select source_id from corpus_sources
        where state = 'loading' and due_at < now() - make_interval(secs => ${idleMs / 1000})
        order by due_at limit ${limit} for no key update skip locked)
      returning source_id, revision`.execute(tx);
    for (const row of rows) await orderLoading(tx, row.source_id, row.revision);
    return rows.length;
  });
}

/** The next upload of this source to load. */
export function nextUpload(
  db: Database,
  source: LoadingSource,
): Promise<Selectable<CorpusDocumentTable> | undefined> {
  return db
    .selectFrom('corpus_documents')
    .selectAll()
    .where('source_id', '=', source.source_id)
    .where('object_key', 'is not', null)
    .where('loaded_revision', '<', source.revision)
    .orderBy('created_at')
    .orderBy('document_id')
    .limit(1)
    .executeTakeFirst();
}

export interface DocumentChunk {
  /** Headings above the chunk, outermost first. */
  heading: string;
  content: string;
  /** The same text prepared for search: words of every script separated by spaces. */
  searchHeading: string;
  searchContent: string;
}

export interface DocumentText {
  title: string | null;
  language: string | null;
  description: string | null;
  publishedAt: Date | null;
  textConfig: string;
  chunks: readonly DocumentChunk[];
}

const CHUNKS_PER_STATEMENT = 200;

/**
 * Runs `write` while the source can be neither changed nor deleted. Returns false, without writing, if this
 * revision is no longer to be loaded.
 */
export function writeIfCurrent(
  db: Database,
  source: LoadingSource,
  write: (tx: Database) => Promise<void>,
): Promise<boolean> {
  const key: SourceKey = {
    accountId: source.account_id,
    corpusId: source.corpus_id,
    sourceId: source.source_id,
  };
  return db.transaction().execute(async (tx) => {
    if (!(await lockCorpus(tx, key.accountId, key.corpusId))) return false;
    const current = await lockCorpusSource(tx, key);
    if (current?.revision !== source.revision || current.state !== 'loading') return false;
    await write(tx);
    return true;
  });
}

/** Replaces the document's text. */
export async function replaceText(
  tx: Database,
  source: LoadingSource,
  document: { documentId: string; exampleQueries: readonly string[] },
  text: DocumentText,
): Promise<void> {
  const { documentId } = document;
  await tx.deleteFrom('corpus_chunks').where('document_id', '=', documentId).execute();
  const examples = document.exampleQueries.join('\n');
  for (let start = 0; start < text.chunks.length; start += CHUNKS_PER_STATEMENT) {
    const part = text.chunks.slice(start, start + CHUNKS_PER_STATEMENT);
    const column = (of: (chunk: DocumentChunk) => string): string[] => part.map((chunk) => asText(of(chunk)));
    await sql`
      insert into corpus_chunks
        (document_id, chunk_index, corpus_id, text_config, heading, content, search)
      select ${documentId}::uuid, ${start}::integer + n - 1, ${source.corpus_id}::uuid,
        ${text.textConfig}, heading, content,
        array_to_tsvector(array[${corpusWord(source.corpus_id)}])
          || setweight(to_tsvector(${text.textConfig}::regconfig, search_heading), 'A')
          || setweight(to_tsvector(${text.textConfig}::regconfig, ${asText(examples)}), 'B')
          || setweight(to_tsvector(${text.textConfig}::regconfig, search_content), 'C')
      from unnest(${column((chunk) => chunk.heading)}::text[], ${column((chunk) => chunk.content)}::text[],
        ${column((chunk) => chunk.searchHeading)}::text[], ${column((chunk) => chunk.searchContent)}::text[])
        with ordinality as part (heading, content, search_heading, search_content, n)`.execute(tx);
  }
  await tx
    .updateTable('corpus_documents')
    .set({
      title: text.title === null ? null : asText(text.title),
      language: text.language,
      description: text.description === null ? null : asText(text.description),
      published_at: text.publishedAt,
      text_config: text.textConfig,
      chunk_count: text.chunks.length,
      loaded_revision: source.revision,
      embedded_revision: 0,
      vector_count: 0,
    })
    .where('document_id', '=', documentId)
    .execute();
}

/** A word in the search column of each chunk, so that searches read only the corpus's part of the index. */
export function corpusWord(corpusId: string): string {
  return `corpus:${corpusId}`;
}

/** Records that the document has no text, with the reason on the source. */
export async function markUnreadable(
  tx: Database,
  source: LoadingSource,
  documentId: string,
  reason: string,
): Promise<void> {
  const empty = {
    title: null,
    language: null,
    description: null,
    publishedAt: null,
    textConfig: 'simple',
    chunks: [],
  };
  await replaceText(tx, source, { documentId, exampleQueries: [] }, empty);
  await noteError(tx, source, reason);
}

export async function noteError(tx: Database, source: LoadingSource, reason: string): Promise<void> {
  await tx
    .updateTable('corpus_sources')
    .set({ last_error: asText(reason) })
    .where('source_id', '=', source.source_id)
    .where('revision', '=', source.revision)
    .execute();
}

/** Marks the source as loaded and deletes crawled pages that this revision did not find. */
export async function finishSource(tx: Database, source: LoadingSource, at: Date): Promise<void> {
  await tx
    .deleteFrom('corpus_documents')
    .where('source_id', '=', source.source_id)
    .where('url', 'is not', null)
    .where('loaded_revision', '<', source.revision)
    .execute();
  await tx.deleteFrom('corpus_crawl_pages').where('source_id', '=', source.source_id).execute();
  await tx
    .updateTable('corpus_sources')
    .set({ state: 'ready', loaded_at: at })
    .where('source_id', '=', source.source_id)
    .execute();
}
