import type { VectorQuery } from './vector-cache.ts';
import type { VectorHit } from './vector-set.ts';

/** Finds the vectors of a corpus that are most similar to one. */
export interface VectorSearch {
  /** Most similar first. May contain vectors that no longer exist. Rejects if the signal aborts. */
  nearest(query: VectorQuery, signal: AbortSignal): Promise<VectorHit[]>;
}
