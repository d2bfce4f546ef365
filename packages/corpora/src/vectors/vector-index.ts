import { abortable } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { isCorpusIndexed, nearestInIndex } from '@calls/store/tables/corpus-vector-index';
import type { VectorQuery } from './vector-cache.ts';
import type { VectorSearch } from './vector-search.ts';
import type { VectorHit } from './vector-set.ts';

/** Approximate search by the HNSW index of pgvector. Vectors that are not in it are not found. */
export class VectorIndex implements VectorSearch {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  nearest(query: VectorQuery, signal: AbortSignal): Promise<VectorHit[]> {
    return abortable(nearestInIndex(this.#db, query), signal);
  }
}

export type VectorSearchMethod = 'hnsw' | 'exact';

interface ChosenSearchDeps {
  db: Database;
  exact: VectorSearch;
  log: Logger;
  onSearch: (method: VectorSearchMethod) => void;
}

/** Searches the index if it has all vectors of the corpus and responds, otherwise exactly. */
export class ChosenVectorSearch implements VectorSearch {
  readonly #deps: ChosenSearchDeps;
  readonly #index: VectorIndex;

  constructor(deps: ChosenSearchDeps) {
    this.#deps = deps;
    this.#index = new VectorIndex(deps.db);
  }

  async nearest(query: VectorQuery, signal: AbortSignal): Promise<VectorHit[]> {
    const { db, exact, log, onSearch } = this.#deps;
    const { corpusId, model } = query;
    if (await isCorpusIndexed(db, corpusId, model)) {
      try {
        const hits = await this.#index.nearest(query, signal);
        onSearch('hnsw');
        return hits;
      } catch (thrown) {
        signal.throwIfAborted();
        log.warn({ corpusId, err: toError(thrown) }, 'failed to search the vector index; searching exactly');
      }
    }
    onSearch('exact');
    return exact.nearest(query, signal);
  }
}
