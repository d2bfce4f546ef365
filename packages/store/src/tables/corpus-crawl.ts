import { sql, type Selectable } from 'kysely';
import type { CorpusCrawlPageTable } from '../schema/corpus-tables.ts';
import type { Database } from '../store.ts';
import type { LoadingSource } from './corpus-loading.ts';

export type CrawlPage = Pick<Selectable<CorpusCrawlPageTable>, 'url' | 'depth' | 'attempts'>;

/** Adds pages to be crawled, each once; `limit` bounds the total number of known pages. */
export async function addCrawlPages(
  tx: Database,
  source: LoadingSource,
  pages: { urls: readonly string[]; depth: number; limit: number },
): Promise<void> {
  await sql`
    insert into corpus_crawl_pages (source_id, revision, url, depth)
    select ${source.source_id}::uuid, ${source.revision}::integer, url, ${pages.depth}::integer
    from unnest(${pages.urls}::text[]) with ordinality as found (url, n)
    order by n
    limit greatest(0, ${pages.limit}::integer - (select count(*) from corpus_crawl_pages
      where source_id = ${source.source_id} and revision = ${source.revision}))
    on conflict do nothing`.execute(tx);
}

export interface CrawlState {
  /** The next page: the nearest to a start URL, in order of discovery. */
  next: CrawlPage | undefined;
  /** Pages that became documents. */
  documents: number;
  /** Origins to which the start URLs redirected. */
  finalOrigins: string[];
}

export async function crawlState(db: Database, source: LoadingSource): Promise<CrawlState> {
  const ofRevision = db
    .selectFrom('corpus_crawl_pages')
    .where('source_id', '=', source.source_id)
    .where('revision', '=', source.revision);
  const next = await ofRevision
    .select(['url', 'depth', 'attempts'])
    .where('state', '=', 'pending')
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  const totals = await ofRevision
    .select([
      sql<number>`count(*) filter (where state = 'kept')`.as('documents'),
      sql<
        string[]
      >`coalesce(array_agg(distinct final_origin) filter (where final_origin is not null), '{}')`.as(
        'finalOrigins',
      ),
    ])
    .executeTakeFirstOrThrow();
  return { next, ...totals };
}

export async function settleCrawlPage(
  tx: Database,
  source: LoadingSource,
  url: string,
  outcome: { state: 'kept' | 'passed' | 'failed'; finalOrigin?: string | null },
): Promise<void> {
  await tx
    .updateTable('corpus_crawl_pages')
    .set({ state: outcome.state, final_origin: outcome.finalOrigin ?? null })
    .where('source_id', '=', source.source_id)
    .where('revision', '=', source.revision)
    .where('url', '=', url)
    .execute();
}

/** Moves the page to the end of the queue for a retry. */
export async function retryCrawlPage(tx: Database, source: LoadingSource, url: string): Promise<void> {
  await sql`
    update corpus_crawl_pages set attempts = attempts + 1, position = default
    where source_id = ${source.source_id} and revision = ${source.revision} and url = ${url}`.execute(tx);
}

/**
 * The document of a page of this crawl, created if missing. `isSame`: it was loaded from the same bytes
 * before. Null if the crawl has already stored the page under another address that redirects here.
 */
export async function upsertCrawledDocument(
  tx: Database,
  source: LoadingSource,
  page: { documentId: string; url: string; mimeType: string; sizeBytes: number; hash: Buffer; at: Date },
): Promise<{ documentId: string; isSame: boolean } | null> {
  const { rows } = await sql<{ document_id: string; is_same: boolean; is_seen: boolean }>`
    with before as (
      select document_id, content_hash, chunk_count, loaded_revision from corpus_documents
      where source_id = ${source.source_id} and url = ${page.url}
    )
    insert into corpus_documents
      (document_id, corpus_id, account_id, source_id, created_at, mime_type, url, size_bytes, content_hash)
    values (${page.documentId}, ${source.corpus_id}, ${source.account_id}, ${source.source_id}, ${page.at},
      ${page.mimeType}, ${page.url}, ${page.sizeBytes}, ${page.hash})
    on conflict (source_id, url) where url is not null
    do update set mime_type = excluded.mime_type, size_bytes = excluded.size_bytes,
      content_hash = excluded.content_hash
    returning document_id,
      coalesce((select content_hash = ${page.hash} and chunk_count > 0 from before), false) as is_same,
      coalesce((select loaded_revision = ${source.revision} from before), false) as is_seen`.execute(tx);
  const [row] = rows;
  if (!row || row.is_seen) return null;
  return { documentId: row.document_id, isSame: row.is_same };
}

/** Marks the earlier text as valid for this revision. */
export async function reuseText(tx: Database, source: LoadingSource, documentId: string): Promise<void> {
  await tx
    .updateTable('corpus_documents')
    .set({ loaded_revision: source.revision })
    .where('document_id', '=', documentId)
    .execute();
}
