import { statements } from './statements.ts';

export const corpora = statements(
  `create table corpora (
    corpus_id uuid primary key,
    account_id uuid not null references accounts,
    name text not null,
    description text not null,
    created_at timestamptz(3) not null
  )`,
  `create index corpora_by_account on corpora (account_id, created_at, corpus_id)`,

  `create table corpus_sources (
    source_id uuid primary key,
    corpus_id uuid not null references corpora on delete cascade,
    account_id uuid not null,
    name text not null,
    description text not null,
    spec jsonb not null,
    created_at timestamptz(3) not null,
    revision integer not null default 1,
    state text not null default 'loading' check (state in ('loading', 'ready')),
    begun_at timestamptz(3) not null default now(),
    loaded_at timestamptz(3),
    last_error text,
    due_at timestamptz(3) not null default now()
  )`,
  `create index corpus_sources_by_corpus on corpus_sources (corpus_id, created_at, source_id)`,
  // Sources whose loading is due: the index stays small however large the table is.
  `create index corpus_sources_loading on corpus_sources (due_at) where state = 'loading'`,

  `create table corpus_documents (
    document_id uuid primary key,
    corpus_id uuid not null references corpora on delete cascade,
    account_id uuid not null,
    source_id uuid references corpus_sources on delete cascade,
    created_at timestamptz(3) not null,
    mime_type text not null,
    file_name text,
    object_key text,
    url text,
    size_bytes bigint,
    content_hash bytea,
    title text,
    language text,
    description text,
    published_at timestamptz(3),
    example_queries text[] not null default '{}',
    text_config text not null default 'simple',
    chunk_count integer not null default 0,
    loaded_revision integer not null default 0,
    unassigned_at timestamptz(3)
  )`,
  `create index corpus_documents_by_corpus on corpus_documents (corpus_id)`,
  `create index corpus_documents_by_source on corpus_documents (source_id, created_at, document_id)`,
  `create unique index corpus_documents_by_url on corpus_documents (source_id, url) where url is not null`,
  `create index corpus_documents_unassigned on corpus_documents (unassigned_at) where source_id is null`,

  // 'search' contains a word that names the corpus besides the words of the text (see corpus-search.ts), so
  // one index finds the words of one corpus, however many corpora exist.
  `create table corpus_chunks (
    document_id uuid not null references corpus_documents on delete cascade,
    chunk_index integer not null,
    corpus_id uuid not null,
    text_config text not null,
    heading text not null,
    content text not null,
    search tsvector not null,
    primary key (document_id, chunk_index)
  )`,
  `create index corpus_chunks_by_words on corpus_chunks using gin (search)`,

  `create table corpus_crawl_pages (
    source_id uuid not null references corpus_sources on delete cascade,
    revision integer not null,
    url text not null,
    position bigint generated always as identity,
    depth integer not null,
    state text not null default 'pending' check (state in ('pending', 'kept', 'passed', 'failed')),
    attempts integer not null default 0,
    final_origin text,
    primary key (source_id, revision, url)
  )`,
  `create index corpus_crawl_pages_pending on corpus_crawl_pages (source_id, revision, position)
    where state = 'pending'`,
);
