import { statements } from './statements.ts';

/** Embeddings of passages. */
export const corpusVectors = statements(
  `alter table corpora
    add column retrieval text not null default 'hybrid' check (retrieval in ('full_text', 'hybrid')),
    add column embedding_due_at timestamptz(3),
    add column embedding_error text`,
  `create index corpora_to_embed on corpora (embedding_due_at) where embedding_due_at is not null`,
  // The previous release does not write these columns: a document that it loads again has another loaded_revision.
  `alter table corpus_documents
    add column embedding_model text,
    add column embedded_revision integer not null default 0,
    add column vector_count integer not null default 0`,
  `create table corpus_vectors (
    document_id uuid not null,
    chunk_index integer not null,
    corpus_id uuid not null,
    model text not null,
    vector_id bigint generated always as identity,
    vector bytea not null,
    primary key (document_id, chunk_index),
    foreign key (document_id, chunk_index) references corpus_chunks on delete cascade
  )`,
  `create unique index corpus_vectors_in_order on corpus_vectors (corpus_id, model, vector_id)`,
);
