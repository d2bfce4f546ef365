import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import { retrievePassages, type RetrievalDeps } from '@calls/corpora/retrieval/retrieve-passages';
import { findRetrieval } from '@calls/store/tables/corpora';

/** Searches the corpora of accounts. */
export interface Knowledge {
  /** The configured embedding model; null if there is none. */
  readonly embeddingModel: string | null;
  /** Returns the passages that match best, best first. Undefined if the account has no such corpus. */
  query(request: {
    accountId: string;
    corpusId: string;
    query: string;
    maxResults: number;
  }): Promise<CorpusQueryResult[] | undefined>;
}

export function createKnowledge(deps: RetrievalDeps): Knowledge {
  return {
    embeddingModel: deps.embeddings?.embedder.model ?? null,
    async query({ accountId, ...request }) {
      const retrieval = await findRetrieval(deps.db, accountId, request.corpusId);
      return retrieval && retrievePassages(deps, { ...request, retrieval });
    },
  };
}
