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
  /** Counts what it is loaded from: what an older revision's job finds is of no use. */
  revision: Generated<number>;
  state: Generated<'loading' | 'ready'>;
  /** When loading of this revision began. */
  begun_at: Generated<Date>;
  loaded_at: Date | null;
  last_error: string | null;
  /** While it is loading: nobody else loads it before this time; later, whoever loaded it is gone. */
  due_at: Generated<Date>;
}

export interface CorpusDocumentTable {
  document_id: string;
  corpus_id: string;
  account_id: string;
  /** Null for an upload that no source has. */
  source_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  mime_type: string;
  /** Of an upload. */
  file_name: string | null;
  /** Of an upload, once the file is there. */
  object_key: string | null;
  /** Of a crawled page. */
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
  /** 0: not loaded, or nothing could be read. */
  chunk_count: Generated<number>;
  /** Revision of its source that it was last loaded for. */
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
  /** 'kept': became a document; 'passed': read, and no document. */
  state: Generated<'pending' | 'kept' | 'passed' | 'failed'>;
  attempts: Generated<number>;
  /** Where redirects of a start URL led. */
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
