import type { SourceSpec } from '@calls/api-contract/rest/corpus';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

export interface CorpusTable {
  corpus_id: string;
  account_id: string;
  name: string;
  description: string;
  created_at: ColumnType<Date, Date, never>;
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
  /** For uploads. */
  file_name: string | null;
  /** For uploads whose file has arrived. */
  object_key: string | null;
  /** For crawled pages. */
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
  corpus_crawl_pages: CorpusCrawlPageTable;
}
