import { sql } from 'kysely';
import { asText } from '../as-json.ts';
import type { Database } from '../store.ts';

/** A word of a query, in one language of a corpus. */
export interface CorpusTerm {
  /** PostgreSQL's text search configuration. */
  textConfig: string;
  /** Passages of that language in the corpus. */
  passages: number;
  lexeme: string;
  /** Estimate of the passages of that language that have the word. */
  frequency: number;
}

/** Passages of each language that are read to estimate how frequent words are. Languages with fewer are read as a whole. */
export const SAMPLED_PASSAGES = 500;

const MAX_TERMS = 32;

/** The query for the value of the column `lexeme`. */
export const termQuery = sql`('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery`;

/**
 * The words of a query in each language of a corpus. Reads about SAMPLED_PASSAGES passages of each language, at equal
 * distances within each document.
 */
export async function corpusTerms(db: Database, corpusId: string, wanted: string): Promise<CorpusTerm[]> {
  const { rows } = await sql<{
    text_config: string;
    passages: number;
    lexeme: string;
    sampled: number;
    hits: number;
  }>`
    with languages as (
      select text_config, sum(chunk_count)::integer as passages,
        ceil(sum(chunk_count) / ${sql.lit(SAMPLED_PASSAGES)}::float8)::integer as distance
      from corpus_documents where corpus_id = ${corpusId} and chunk_count > 0
      group by text_config
    ), documents as materialized (
      select text_config, document_id, chunk_count, distance,
        mod(hashtext(document_id::text)::bigint + 2147483648, distance)::integer as first
      from corpus_documents join languages using (text_config)
      where corpus_id = ${corpusId}
    ), sample as materialized (
      select d.text_config, c.search
      from documents d cross join lateral generate_series(first, chunk_count - 1, distance) as sampled
        cross join lateral (
          -- Concatenated to be decompressed once. The limit enforces a look-up by key.
          select search || ''::tsvector as search from corpus_chunks
          where document_id = d.document_id and chunk_index = sampled limit 1
        ) c
    ), sizes as (
      select text_config, count(*) as sampled from sample group by text_config
    ), terms as (
      select text_config, passages, lexeme, ${termQuery} as term
      from languages,
        unnest((tsvector_to_array(to_tsvector(text_config::regconfig, ${asText(wanted)})))[1:${sql.lit(MAX_TERMS)}]) lexeme
    )
    select t.text_config, t.passages, t.lexeme, coalesce(z.sampled, 0) as sampled,
      (select count(*) from sample s where s.text_config = t.text_config and s.search @@ t.term) as hits
    from terms t left join sizes z using (text_config)`.execute(db);
  return rows.map(({ text_config: textConfig, passages, lexeme, sampled, hits }) => ({
    ...{ textConfig, passages, lexeme },
    // Half of the resolution of the sample if no passage of it has the word.
    frequency: passages * (Math.max(0.5, hits) / Math.max(1, sampled)),
  }));
}
