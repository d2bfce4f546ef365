import { sql } from 'kysely';
import { asText } from '../as-json.ts';
import type { Database } from '../store.ts';
import { corpusWord } from './corpus-loading.ts';
import { corpusTerms, SAMPLED_PASSAGES, termQuery, type CorpusTerm } from './corpus-terms.ts';

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

/** Maximum number of passages that the index finds for one word, in all languages together. */
const MAX_INDEX_HITS = 10_000;
/** Maximum number of passages of one language that are found by the rarest words of a query. */
const MAX_HITS = 3000;
/** Maximum number of these, with most of the rarest words, in which the other words are looked up. */
const MAX_COMPARED = 1000;
/** Number of passages that are ranked in detail: those with most of the rarest words, and those with all words. */
const MAX_CANDIDATES = 100;
/** Weights of words in the text, in example queries and in headings; D is not used. */
const WEIGHTS = '{0, 0.4, 0.7, 1}';

/**
 * The passages of a corpus that match the words, best first. A word counts more if it is rare in the corpus, so a
 * passage need not contain all words. Among equal matches, words that are close together or in a heading rank higher.
 * The words of each language are normalized by its own rules.
 *
 * The number of passages that are read does not depend on the size of the corpus: only the rarest words are searched for
 * in the index.
 */
export async function searchCorpus(db: Database, search: CorpusSearch): Promise<FoundChunk[]> {
  const wanted = asText(search.wanted);
  const unwanted = asText(search.unwanted);
  const terms = searchedTerms(await corpusTerms(db, search.corpusId, wanted));
  if (terms.length === 0) return [];
  const scope = sql`${`'${corpusWord(search.corpusId)}'`}::tsquery`;
  /** Passages that match a query, of one language. */
  const matches = (query: string, language: string, limit: number) => sql`
    select document_id, chunk_index from (
      select document_id, chunk_index, text_config from corpus_chunks
      where search @@ (${scope} && ${sql.ref(query)}) and corpus_id = ${search.corpusId}
      limit ${sql.lit(MAX_INDEX_HITS)}
    ) of_all_languages
    where text_config = ${sql.ref(language)}
    limit ${sql.lit(limit)}`;
  const column = <T>(of: (term: SearchedTerm) => T): T[] => terms.map(of);
  const { rows } = await sql<FoundChunk>`
    with terms as materialized (
      select *, ${termQuery} as term
      from unnest(${column(({ textConfig }) => textConfig)}::text[], ${column(({ passages }) => passages)}::float8[],
        ${column(({ lexeme }) => lexeme)}::text[], ${column(({ frequency }) => frequency)}::float8[],
        ${column(({ isSearched }) => isSearched)}::boolean[])
        as given (text_config, passages, lexeme, frequency, is_searched)
    ), languages as materialized (
      select text_config, passages <= ${sql.lit(SAMPLED_PASSAGES)} as is_small,
        websearch_to_tsquery(text_config::regconfig, ${wanted}) as all_of_it
      from terms group by text_config, passages
    ), hits as materialized (
      select t.text_config, t.lexeme, c.document_id, c.chunk_index
      from terms t cross join lateral (${matches('t.term', 't.text_config', MAX_HITS)}) c
      where t.is_searched and t.passages > ${sql.lit(SAMPLED_PASSAGES)}
      union all
      select t.text_config, t.lexeme, d.document_id, c.chunk_index
      from languages l join corpus_documents d on d.corpus_id = ${search.corpusId} and d.text_config = l.text_config
        cross join lateral (
          -- By key: words of a small language may be frequent in others.
          select chunk_index, search || ''::tsvector as search from corpus_chunks
          where document_id = d.document_id offset 0
        ) c
        join terms t on t.text_config = l.text_config and c.search @@ t.term
      where l.is_small
    ), found as (
      select text_config, lexeme, count(*) as hits from hits group by text_config, lexeme
    ), weights as materialized (
      select text_config, lexeme, term, is_searched, ln(1 + (passages - hits + 0.5) / (hits + 0.5)) as weight
      from (
        select t.*, case when is_searched and coalesce(f.hits, 0) < ${sql.lit(MAX_HITS)}
          then coalesce(f.hits, 0) else least(frequency, passages) end as hits
        from terms t left join found f using (text_config, lexeme)
      ) counted
    ), whole as materialized (
      select text_config, sum(weight) as weight, string_agg(term::text, ' | ')::tsquery as any_of_it
      from weights group by text_config
    ), likely as materialized (
      select h.text_config, h.document_id, h.chunk_index, sum(w.weight) / a.weight as coverage
      from hits h join weights w using (text_config, lexeme) join whole a using (text_config)
      group by h.text_config, h.document_id, h.chunk_index, a.weight
      order by coverage desc, h.document_id, h.chunk_index
      limit ${sql.lit(MAX_COMPARED)}
    ), near as (
      select k.document_id, k.chunk_index, k.coverage + coalesce(o.weight, 0) / a.weight as coverage
      from likely k join whole a using (text_config)
        cross join lateral (
          select search || ''::tsvector as search from corpus_chunks
          where document_id = k.document_id and chunk_index = k.chunk_index limit 1
        ) c
        cross join lateral (
          select sum(weight) as weight from weights
          where text_config = k.text_config and not is_searched and c.search @@ term
        ) o
      order by coverage desc, k.document_id, k.chunk_index
      limit ${sql.lit(MAX_CANDIDATES)}
    ), exact as (
      select c.document_id, c.chunk_index, 1 as coverage
      from languages l cross join lateral (${matches('l.all_of_it', 'l.text_config', MAX_CANDIDATES)}) c
      where not l.is_small and numnode(l.all_of_it) > 0
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
      where ${unwanted} = '' or not c.search @@ websearch_to_tsquery(c.text_config::regconfig, ${unwanted})
    )
    select j.chunk_index, j.content, j.heading, least(1, greatest(0, j.score))::float8 as score,
      d.source_id, d.document_id, d.url, d.title, d.file_name
    from judged j join corpus_documents d using (document_id)
    where d.source_id is not null
    order by j.score desc, j.document_id, j.chunk_index
    limit ${search.limit}`.execute(db);
  return rows;
}

interface SearchedTerm extends CorpusTerm {
  /** Whether passages are found by the word; otherwise it only counts in passages that others found. */
  isSearched: boolean;
}

/** The rarest word of each language, and further words while at most MAX_HITS passages have them. */
function searchedTerms(terms: readonly CorpusTerm[]): SearchedTerm[] {
  const found = new Map<string, number>();
  return [...terms]
    .sort((a, b) => a.frequency - b.frequency)
    .map((term) => {
      const before = found.get(term.textConfig) ?? 0;
      const after = before + term.frequency;
      const isSearched = before === 0 || after <= MAX_HITS || term.passages <= SAMPLED_PASSAGES;
      if (isSearched) found.set(term.textConfig, after);
      return { ...term, isSearched };
    });
}

/**
 * The passages of a model's vectors, in any order. `score` is 0. Leaves out passages that were replaced or deleted since, and those
 * with unwanted words.
 */
export async function passagesOfVectors(
  db: Database,
  {
    corpusId,
    model,
    vectorIds,
    unwanted: given,
  }: Pick<CorpusSearch, 'corpusId' | 'unwanted'> & { model: string; vectorIds: readonly number[] },
): Promise<(FoundChunk & { vector_id: number })[]> {
  const unwanted = asText(given);
  const { rows } = await sql<FoundChunk & { vector_id: number }>`
    select v.vector_id, c.chunk_index, c.content, c.heading, 0::float8 as score,
      d.source_id, d.document_id, d.url, d.title, d.file_name
    from corpus_vectors v join corpus_chunks c using (document_id, chunk_index)
      join corpus_documents d using (document_id)
    where v.corpus_id = ${corpusId} and v.model = ${model} and v.vector_id = any (${vectorIds}::bigint[])
      and d.source_id is not null
      and (${unwanted} = '' or not c.search @@ websearch_to_tsquery(c.text_config::regconfig, ${unwanted}))`.execute(
    db,
  );
  return rows;
}
