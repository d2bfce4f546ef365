import { sql, type Insertable, type Selectable } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CorpusTable } from '../schema/corpus-tables.ts';
import type { Database } from '../store.ts';

export interface CorpusTotals {
  /** Documents with readable text. */
  documents: number;
  chunks: number;
  /** Passages that have a vector, by model. */
  vectors: Record<string, number>;
  /** Models of which some vectors are not in the index of pgvector. */
  unindexed_models: string[];
  loading: boolean;
  loaded_at: Date | null;
}

export type RetrievalMethod = Selectable<CorpusTable>['retrieval'];

export type CorpusRow = Selectable<CorpusTable> & CorpusTotals;

function ofAccount(db: Database, accountId: string) {
  return db
    .selectFrom('corpora')
    .selectAll()
    .select([
      sql<number>`(select count(*) from corpus_documents d
        where d.corpus_id = corpora.corpus_id and d.chunk_count > 0)`.as('documents'),
      sql<number>`(select coalesce(sum(d.chunk_count), 0) from corpus_documents d
        where d.corpus_id = corpora.corpus_id)`.as('chunks'),
      sql<Record<string, number>>`(select coalesce(json_object_agg(embedding_model, vectors), '{}') from (
        select embedding_model, sum(vector_count) as vectors from corpus_documents d
        where d.corpus_id = corpora.corpus_id and vector_count > 0
        group by embedding_model) by_model)`.as('vectors'),
      sql<string[]>`(select coalesce(json_agg(model), '[]') from (
        select distinct embedding_model as model from corpus_documents d
        where d.corpus_id = corpora.corpus_id and vector_count > 0) of_corpus
        where exists (select from corpus_vectors v
          where v.corpus_id = corpora.corpus_id and v.model = of_corpus.model
            and v.indexed_vector_id is distinct from v.vector_id))`.as('unindexed_models'),
      sql<boolean>`exists (select from corpus_sources s
        where s.corpus_id = corpora.corpus_id and s.state = 'loading')`.as('loading'),
      sql<Date | null>`(select max(s.loaded_at) from corpus_sources s
        where s.corpus_id = corpora.corpus_id)`.as('loaded_at'),
    ])
    .where('account_id', '=', accountId);
}

/** Newest first. */
export function corporaOf(db: Database, accountId: string): PageSource<CorpusRow> {
  return pagesOf(ofAccount(db, accountId), orderedBy('desc', 'created_at', 'corpus_id'));
}

export function findCorpus(
  db: Database,
  accountId: string,
  corpusId: string,
): Promise<CorpusRow | undefined> {
  return ofAccount(db, accountId).where('corpus_id', '=', corpusId).executeTakeFirst();
}

/** The ids that are corpora of the account. */
export async function knownCorpora(
  db: Database,
  accountId: string,
  corpusIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('corpora')
    .select('corpus_id')
    .where('account_id', '=', accountId)
    .where('corpus_id', 'in', [...corpusIds])
    .execute();
  return new Set(rows.map((row) => row.corpus_id));
}

export async function hasCorpus(db: Database, accountId: string, corpusId: string): Promise<boolean> {
  return (await knownCorpora(db, accountId, [corpusId])).has(corpusId);
}

/** How the corpus is searched; undefined if the account has no such corpus. */
export async function findRetrieval(
  db: Database,
  accountId: string,
  corpusId: string,
): Promise<RetrievalMethod | undefined> {
  const row = await db
    .selectFrom('corpora')
    .select('retrieval')
    .where('account_id', '=', accountId)
    .where('corpus_id', '=', corpusId)
    .executeTakeFirst();
  return row?.retrieval;
}

export async function insertCorpus(db: Database, row: Insertable<CorpusTable>): Promise<CorpusRow> {
  const inserted = await db.insertInto('corpora').values(row).returningAll().executeTakeFirstOrThrow();
  return {
    ...inserted,
    documents: 0,
    chunks: 0,
    vectors: {},
    unindexed_models: [],
    loading: false,
    loaded_at: null,
  };
}

export interface CorpusChange {
  name?: string | undefined;
  description?: string | undefined;
  retrieval?: RetrievalMethod | undefined;
}

/** Undefined if there is no such corpus. */
export async function updateCorpus(
  db: Database,
  accountId: string,
  corpusId: string,
  change: CorpusChange,
): Promise<CorpusRow | undefined> {
  await db
    .updateTable('corpora')
    .set({
      corpus_id: corpusId,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.description !== undefined && { description: change.description }),
      ...(change.retrieval !== undefined && { retrieval: change.retrieval }),
    })
    .where('account_id', '=', accountId)
    .where('corpus_id', '=', corpusId)
    .execute();
  return findCorpus(db, accountId, corpusId);
}
