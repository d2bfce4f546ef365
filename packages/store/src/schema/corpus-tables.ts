import type { SourceSpec } from '@calls/api-contract/rest/corpus';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

export interface CorpusTable {
  corpus_id: string;
  account_id: string;
  name: string;
  description: string;
  created_at: ColumnType<Date, Date, never>;
  retrieval: Generated<'full_text' | 'hybrid'>;
  /** When to look for passages without a vector; a process that embeds them moves it ahead. Null: not needed. */
  embedding_due_at: Generated<Date | null>;
  /** Why passages could last not be embedded. */
  embedding_error: Generated<string | null>;
}

export interface CorpusSourceTable {
  source_id: string;
  corpus_id: string;
  account_id: string;
  name: string;
  description: string;
  spec: ColumnType<SourceSpec, string, string>;
  created_at: ColumnType<Date, Date, never>;
  /** Incremented when the source's spec changes; results of jobs for older revisions are discarded. */
  revision: Generated<number>;
  state: Generated<'loading' | 'ready'>;
  /** When loading of this revision began. */
  begun_at: Generated<Date>;
  loaded_at: Date | null;
  last_error: string | null;
  /**
   * While loading: the source is reserved for its current run until this time. If it has passed, that run has
   * failed.
   */
  due_at: Generated<Date>;
}

export interface CorpusDocumentTable {
  document_id: string;
  corpus_id: string;
  account_id: string;
  /** Null for an upload without a source. */
  source_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  mime_type: string;
  /** Set for uploads. */
  file_name: string | null;
  /** Set for uploads when the file has arrived. */
  object_key: string | null;
  /** Set for crawled pages. */
  url: string | null;
  size_bytes: number | null;
  /** SHA-256 of a crawled page's file. */
  content_hash: Buffer | null;
  title: string | null;
  language: string | null;
  description: string | null;
  published_at: Date | null;
  example_queries: Generated<string[]>;
  /** PostgreSQL's text search configuration for its language. */
  text_config: Generated<string>;
  /** 0 if the document is not loaded or has no readable text. */
  chunk_count: Generated<number>;
  /** Revision of its source for which it was last loaded. */
  loaded_revision: Generated<number>;
  unassigned_at: Date | null;
  /** Model of its vectors. */
  embedding_model: Generated<string | null>;
  /** The `loaded_revision` for which every passage had a vector of that model; 0 if some have none. */
  embedded_revision: Generated<number>;
  /** Passages that have a vector of that model. */
  vector_count: Generated<number>;
}

export interface CorpusChunkTable {
  document_id: string;
  chunk_index: number;
  corpus_id: string;
  text_config: string;
  heading: string;
  content: string;
  search: ColumnType<string, string, never>;
}

/** Vectors beside their passages. */
export interface CorpusVectorTable {
  document_id: string;
  chunk_index: number;
  corpus_id: string;
  model: string;
  /** Grows with every vector that is written to a corpus, in the order of their transactions. */
  vector_id: GeneratedAlways<number>;
  /** 32-bit floats, little-endian, of unit length. */
  vector: Buffer;
  /** The `vector_id` that the index of pgvector has; another one or null if this vector is not in it. */
  indexed_vector_id: Generated<number | null>;
}

export interface CorpusCrawlPageTable {
  source_id: string;
  revision: number;
  url: string;
  position: GeneratedAlways<number>;
  depth: number;
  /** 'kept': became a document; 'passed': read without creating a document. */
  state: Generated<'pending' | 'kept' | 'passed' | 'failed'>;
  attempts: Generated<number>;
  /** Origin to which a start URL redirected. */
  final_origin: string | null;
}

/** Tables of corpora. */
export interface CorpusTables {
  corpora: CorpusTable;
  corpus_sources: CorpusSourceTable;
  corpus_documents: CorpusDocumentTable;
  corpus_chunks: CorpusChunkTable;
  corpus_vectors: CorpusVectorTable;
  corpus_crawl_pages: CorpusCrawlPageTable;
}
