import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { statements } from './statements.ts';

/** Keys of a call's recording in the object storage. */
export const recordings: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    const statement = `alter table calls
      add column recording_key text,
      add column recording_duration_ms integer,
      add column recording_bytes bigint`;
    await sql.raw(statement).execute(db);
  },
};

export const callThrottles = statements(
  `create table call_throttles (
    throttle_id uuid primary key,
    account_id uuid not null references accounts,
    name text not null,
    rules jsonb not null,
    created_at timestamptz(3) not null,
    unique (account_id, name)
  )`,
  `create index call_throttles_by_account on call_throttles (account_id, created_at, throttle_id)`,
);

export const agents = statements(
  `create table agents (
    agent_id uuid primary key,
    account_id uuid not null references accounts,
    name text not null,
    published_revision_id uuid,
    created_at timestamptz(3) not null,
    deleted_at timestamptz(3)
  )`,
  `create table agent_revisions (
    revision_id uuid primary key,
    agent_id uuid not null references agents,
    template jsonb not null,
    template_created_at timestamptz(3) not null,
    created_at timestamptz(3) not null
  )`,
  `alter table agents add foreign key (published_revision_id) references agent_revisions`,
  // The two sort orders of the list. A search scans only the account's agents.
  `create index agents_by_age on agents (account_id, created_at, agent_id) where deleted_at is null`,
  `create index agents_by_name on agents (account_id, name, agent_id) where deleted_at is null`,
  `create index agent_revisions_by_agent on agent_revisions (agent_id, created_at)`,
);

export const tools = statements(
  // Public tools are visible to every account and have no account_id.
  `create table tools (
    tool_id uuid primary key,
    account_id uuid references accounts,
    name text not null,
    name_key text not null generated always as (lower(name)) stored,
    definition jsonb not null,
    created_at timestamptz(3) not null,
    unique (account_id, name)
  )`,
  `create table call_tools (
    call_tool_id uuid primary key,
    account_id uuid not null references accounts,
    call_id uuid not null references calls on delete cascade,
    stage_id uuid not null,
    tool_index integer not null check (tool_index >= 0),
    tool_id uuid,
    name text not null,
    definition jsonb not null,
    sealed_auth text,
    unique (call_id, stage_id, tool_index)
  )`,
  // The history of a tool, newest first: call ids are in the order of creation.
  `create index call_tools_by_tool on call_tools (account_id, tool_id, call_id desc) where tool_id is not null`,
);

export const integrations = statements(
  `alter table api_keys add column creator text`,

  `create table webhooks (
    webhook_id uuid primary key,
    account_id uuid not null references accounts,
    agent_id uuid,
    url text not null,
    secrets jsonb not null,
    events text[] not null,
    status text not null default 'normal' check (status in ('normal', 'unhealthy')),
    last_status_change timestamptz(3),
    recent_failures jsonb not null default '[]',
    created_at timestamptz(3) not null
  )`,
  `create index webhooks_by_account on webhooks (account_id, created_at, webhook_id)`,
);

export const voices = statements(
  // The voices visible to an account: its own and the public ones.
  `drop index voices_in_order`,
  `create index voices_by_account on voices (account_id, position, voice_id) where withdrawn_at is null`,

  `create table tts_api_keys (
    account_id uuid not null references accounts,
    provider text not null,
    prefix text not null,
    sealed_key text not null,
    set_at timestamptz(3) not null,
    primary key (account_id, provider)
  )`,
);

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

export const calls = statements(
  `alter table calls
    add column agent_id uuid,
    add column agent_revision_id uuid,
    add column agent_name text,
    add column retention_policy text not null default 'retain'
      check (retention_policy in ('retain', 'auto_delete', 'zdr')),
    add column admission_class text not null default 'standard'
      check (admission_class in ('priority', 'standard', 'lowest_cost')),
    add column free_seconds_reserved integer check (free_seconds_reserved >= 0),
    add column request_context jsonb,
    add column throttle_id uuid,
    add column prior_call_id uuid,
    add column scheduled_batch_id uuid`,
  // Use of an account's caps by its live calls: an index-only scan of its live calls.
  `create index calls_live_by_account on calls (account_id) include (admission_class, free_seconds_reserved)
    where ended_at is null`,
  `create index calls_by_agent on calls (agent_id, created_at desc, call_id desc) where agent_id is not null`,
  `create index calls_by_batch on calls (scheduled_batch_id, created_at desc, call_id desc)
    where scheduled_batch_id is not null`,
);

export const scheduledBatches = statements(
  `create table scheduled_batches (
    batch_id uuid primary key,
    account_id uuid not null references accounts,
    agent_id uuid not null references agents,
    created_at timestamptz(3) not null,
    window_start timestamptz(3),
    window_end timestamptz(3),
    throttle text,
    throttle_id uuid,
    webhook_url text,
    webhook_secret text,
    paused boolean not null,
    total_count integer not null check (total_count > 0),
    completed_count integer not null default 0 check (completed_count between 0 and total_count),
    ended_at timestamptz(3),
    next_at timestamptz(3),
    check ((ended_at is not null) = (completed_count = total_count))
  )`,
  `create index scheduled_batches_by_agent on scheduled_batches (agent_id, created_at desc, batch_id desc)`,
  `create index scheduled_batches_due on scheduled_batches (next_at) where ended_at is null`,
  `create table scheduled_calls (
    batch_id uuid not null references scheduled_batches on delete cascade,
    call_index integer not null,
    request jsonb not null,
    state text not null default 'waiting' check (state in ('waiting', 'created', 'expired', 'failed')),
    call_id uuid check ((call_id is not null) = (state = 'created')),
    error text,
    primary key (batch_id, call_index)
  )`,
  // The next calls of a batch, and lists of calls in one state.
  `create index scheduled_calls_by_state on scheduled_calls (batch_id, state, call_index)`,
);
