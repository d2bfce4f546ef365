import { sql } from 'kysely';
import { asText } from '../as-json.ts';
import type { Database } from '../store.ts';
import { corpusWord } from './corpus-loading.ts';

export interface FoundChunk {
  content: string;
  heading: string;
  /** 0 to 1. Above 0.5: it has all that was asked for. */
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
  /** The same for what must not occur; empty: nothing. */
  unwanted: string;
  limit: number;
}

const MAX_TERMS = 32;
/** As many are looked at closely: those which have the most of the rarest words. */
const MAX_CANDIDATES = 100;
/** Of words in the text, in example queries and in headings: D is not used. */
const WEIGHTS = '{0, 0.4, 0.7, 1}';

/**
 * The chunks of a corpus that have the words, best first. Each word counts by how rare it is in the corpus, so a chunk
 * needn't have them all; where they stand together, and whether in a heading, decides among equals. The words of each
 * language are compared by its own rules.
 */
export async function searchCorpus(db: Database, search: CorpusSearch): Promise<FoundChunk[]> {
  const wanted = asText(search.wanted);
  const unwanted = asText(search.unwanted);
  const scope = sql`${`'${corpusWord(search.corpusId)}'`}::tsquery`;
  const { rows } = await sql<FoundChunk>`
    with languages as (
      select text_config, text_config::regconfig as config, sum(chunk_count)::float8 as chunks
      from corpus_documents where corpus_id = ${search.corpusId} and chunk_count > 0
      group by text_config
    ), terms as (
      select text_config, config, chunks,
        ('''' || replace(replace(term, '\\', '\\\\'), '''', '''''') || '''')::tsquery as term
      from languages, unnest((tsvector_to_array(to_tsvector(config, ${wanted})))[1:${sql.lit(MAX_TERMS)}]) term
    ), hits as materialized (
      select terms.text_config, terms.config, terms.chunks, terms.term, c.document_id, c.chunk_index
      from terms join corpus_chunks c
        on c.search @@ (${scope} && terms.term) and c.corpus_id = ${search.corpusId}
          and c.text_config = terms.text_config
    ), rarity as (
      select t.text_config, t.term,
        ln(1 + (t.chunks - count(h.document_id) + 0.5) / (count(h.document_id) + 0.5)) as weight
      from terms t left join hits h on h.text_config = t.text_config and h.term = t.term
      group by t.text_config, t.term, t.chunks
    ), candidates as (
      select h.document_id, h.chunk_index, h.text_config, h.config,
        sum(r.weight) / (select sum(weight) from rarity o where o.text_config = h.text_config) as coverage,
        string_agg(h.term::text, ' | ')::tsquery as found
      from hits h join rarity r on r.text_config = h.text_config and r.term = h.term
      group by h.document_id, h.chunk_index, h.text_config, h.config
      order by coverage desc, h.document_id, h.chunk_index
      limit ${sql.lit(MAX_CANDIDATES)}
    ), judged as (
      select c.*, k.coverage,
        0.35 * k.coverage + 0.15 * ts_rank_cd(${sql.lit(WEIGHTS)}::float4[], c.search, k.found, 33)
          + case when c.search @@ websearch_to_tsquery(k.config, ${wanted}) then 0.5 else 0 end as score
      from candidates k join corpus_chunks c using (document_id, chunk_index)
      where ${unwanted} = '' or not c.search @@ websearch_to_tsquery(k.config, ${unwanted})
    )
    select j.content, j.heading, least(1, greatest(0, j.score))::float8 as score,
      d.source_id, d.document_id, d.url, d.title, d.file_name
    from judged j join corpus_documents d using (document_id)
    where d.source_id is not null
    order by j.score desc, j.document_id, j.chunk_index
    limit ${search.limit}`.execute(db);
  return rows;
}
