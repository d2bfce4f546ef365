import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import type { Database } from '@calls/store/store';
import { searchCorpus } from '@calls/store/tables/corpus-search';
import { parseQuery } from './parse-query.ts';

interface RetrievalRequest {
  corpusId: string;
  /** Words, quoted phrases, and excluded words after a hyphen. Any text is valid; one without words finds nothing. */
  query: string;
  maxResults: number;
}

/**
 * Finds the passages of a corpus that match a query, best first, with PostgreSQL's full-text search. The caller checks
 * access to the corpus.
 */
export async function retrievePassages(
  db: Database,
  { corpusId, query, maxResults }: RetrievalRequest,
): Promise<CorpusQueryResult[]> {
  const { wanted, unwanted } = parseQuery(query);
  if (wanted === '') return [];
  const found = await searchCorpus(db, { corpusId, wanted, unwanted, limit: maxResults });
  return found.map((chunk) => {
    const title = chunk.title ?? chunk.file_name;
    return {
      content: chunk.heading === '' ? chunk.content : `${chunk.heading}\n\n${chunk.content}`,
      score: chunk.score,
      citation: {
        sourceId: chunk.source_id,
        documentId: chunk.document_id,
        ...(chunk.url !== null && { publicUrl: chunk.url }),
        ...(title !== null && title !== '' && { title }),
      },
    };
  });
}
