import { statements } from './statements.ts';

/**
 * Vectors that are in the index of pgvector. The column with the index's type is added by prepare-database, because the
 * extension may be missing, or be installed later.
 */
export const indexedVectors = statements(
  `alter table corpus_vectors add column indexed_vector_id bigint`,
  `create index corpus_vectors_not_indexed on corpus_vectors (corpus_id, model)
    where indexed_vector_id is distinct from vector_id`,
);
