import type { VectorQuery } from './vector-cache.ts';
import type { VectorHit } from './vector-set.ts';

export interface VectorThreadData {
  databaseUrl: string;
  /** Time limit of a query. */
  queryLimitMs: number;
  maxBytes: number;
}

export interface VectorThreadRequest {
  number: number;
  query: VectorQuery;
}

export type VectorThreadResponse = { number: number; hits: VectorHit[] } | { number: number; error: string };
