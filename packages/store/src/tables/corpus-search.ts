import { sql } from 'kysely';
import { asText } from '../as-json.ts';
import type { Database } from '../store.ts';
import { corpusWord } from './corpus-loading.ts';

export interface FoundChunk {
  chunk_index: number;
  content: string;
  heading: string;
  /** 0 to 1. Above 0.5, the passage has all required words. */
  score: number;
  source_id: string;
  document_id: string;
  url: string | null;
  title: string | null;
  file_name: string | null;
}

export interface CorpusSearch {
  corpusId: string;
  /** In the syntax of websearch_to_tsquery, no word above 2000 bytes. */
  wanted: string;
  /** Excluded words in the same syntax; empty if there are none. */
  unwanted: string;
  limit: number;
}

const MAX_TERMS = 32;
/** A word in more passages of a corpus is not significant: it counts as if it were in this many. */
const MAX_HITS_PER_TERM = 10_000;
/** Number of passages that are ranked in detail: those with most of the rarest words, and those with all words. */
const MAX_CANDIDATES = 100;
/** Weights of words in the text, in example queries and in headings; D is not used. */
const WEIGHTS = '{0, 0.4, 0.7, 1}';

/**
 * The passages of a corpus that match the words, best first. A word counts more if it is rare in the corpus, so a
 * passage need not contain all words. Among equal matches, words that are close together or in a heading rank higher.
 * The words of each language are normalized by its own rules.
 */
export async function searchCorpus(db: Database, search: CorpusSearch): Promise<FoundChunk[]> {
  const wanted = asText(search.wanted);
  const unwanted = asText(search.unwanted);
  const scope = sql`${`'${corpusWord(search.corpusId)}'`}::tsquery`;
  const { rows } = await sql<FoundChunk>`
    with languages as (
      select text_config, text_config::regconfig as config, sum(chunk_count)::float8 as chunks,
        websearch_to_tsquery(text_config::regconfig, ${wanted}) as all_of_it
      from corpus_documents where corpus_id = ${search.corpusId} and chunk_count > 0
      group by text_config
    ), terms as (
      select text_config, chunks,
        ('''' || replace(replace(term, '\\', '\\\\'), '''', '''''') || '''')::tsquery as term
      from languages, unnest((tsvector_to_array(to_tsvector(config, ${wanted})))[1:${sql.lit(MAX_TERMS)}]) term
    ), hits as materialized (
      select t.text_config, t.chunks, t.term, c.document_id, c.chunk_index
      from terms t cross join lateral (
        select document_id, chunk_index from corpus_chunks
        where search @@ (${scope} && t.term) and corpus_id = ${search.corpusId} and text_config = t.text_config
        limit ${sql.lit(MAX_HITS_PER_TERM)}
      ) c
    ), rarity as (
      select t.text_config, t.term,
        ln(1 + (t.chunks - count(h.document_id) + 0.5) / (count(h.document_id) + 0.5)) as weight
      from terms t left join hits h on h.text_config = t.text_config and h.term = t.term
      group by t.text_config, t.term, t.chunks
    ), whole as (
      select text_config, sum(weight) as weight, string_agg(term::text, ' | ')::tsquery as any_of_it
      from rarity group by text_config
    ), near as (
      select h.document_id, h.chunk_index, sum(r.weight) / w.weight as coverage
      from hits h join rarity r on r.text_config = h.text_config and r.term = h.term
        join whole w on w.text_config = h.text_config
      group by h.document_id, h.chunk_index, w.weight
      order by coverage desc, h.document_id, h.chunk_index
      limit ${sql.lit(MAX_CANDIDATES)}
    ), exact as (
      select c.document_id, c.chunk_index, 1 as coverage
      from languages l cross join lateral (
        select document_id, chunk_index from corpus_chunks
        where numnode(l.all_of_it) > 0 and search @@ (${scope} && l.all_of_it)
          and corpus_id = ${search.corpusId} and text_config = l.text_config
        limit ${sql.lit(MAX_CANDIDATES)}
      ) c
    ), candidates as (
      select document_id, chunk_index, max(coverage) as coverage
      from (select * from near union all select * from exact) both_of_them
      group by document_id, chunk_index
    ), judged as (
      select c.*,
        0.35 * k.coverage + 0.15 * ts_rank_cd(${sql.lit(WEIGHTS)}::float4[], c.search, w.any_of_it, 33)
          + case when c.search @@ l.all_of_it then 0.5 else 0 end as score
      from candidates k join corpus_chunks c using (document_id, chunk_index)
        join whole w on w.text_config = c.text_config join languages l on l.text_config = c.text_config
      where ${unwanted} = '' or not c.search @@ websearch_to_tsquery(l.config, ${unwanted})
    )
    select j.chunk_index, j.content, j.heading, least(1, greatest(0, j.score))::float8 as score,
      d.source_id, d.document_id, d.url, d.title, d.file_name
    from judged j join corpus_documents d using (document_id)
    where d.source_id is not null
    order by j.score desc, j.document_id, j.chunk_index
    limit ${search.limit}`.execute(db);
  return rows;
}

/**
 * The passages of vectors, in any order. `score` is 0. Leaves out passages that were replaced or deleted since, and those
 * with unwanted words.
 */
export async function passagesOfVectors(
  db: Database,
  {
    corpusId,
    vectorIds,
    unwanted: given,
  }: Pick<CorpusSearch, 'corpusId' | 'unwanted'> & { vectorIds: readonly number[] },
): Promise<(FoundChunk & { vector_id: number })[]> {
  const unwanted = asText(given);
  const { rows } = await sql<FoundChunk & { vector_id: number }>`
    select v.vector_id, c.chunk_index, c.content, c.heading, 0::float8 as score,
      d.source_id, d.document_id, d.url, d.title, d.file_name
    from corpus_vectors v join corpus_chunks c using (document_id, chunk_index)
      join corpus_documents d using (document_id)
    where v.vector_id = any (${vectorIds}::bigint[]) and v.corpus_id = ${corpusId} and d.source_id is not null
      and (${unwanted} = '' or not c.search @@ websearch_to_tsquery(c.text_config::regconfig, ${unwanted}))`.execute(
    db,
  );
  return rows;
}
