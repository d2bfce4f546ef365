import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';

export interface RetrievalRequest {
  corpusId: string;
  /** As people or models ask: words, phrases in quotes, words behind a hyphen that must not occur. */
  query: string;
  maxResults: number;
}

/** Finds the passages of a corpus that answer a query, best first. */
export interface Retriever {
  /** Any text is a query; one that says nothing finds nothing. Whether the caller may see the corpus is the caller's to check. */
  retrieve(request: RetrievalRequest): Promise<CorpusQueryResult[]>;
}
