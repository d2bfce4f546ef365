import type { Database } from '@calls/store/store';
import { searchCorpus } from '@calls/store/tables/corpus-search';
import { parseQuery } from './parse-query.ts';
import type { Retriever } from './retriever.ts';

/** Retrieval by PostgreSQL's full-text search. */
export function createFullTextRetriever(db: Database): Retriever {
  return {
    async retrieve({ corpusId, query, maxResults }) {
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
    },
  };
}
