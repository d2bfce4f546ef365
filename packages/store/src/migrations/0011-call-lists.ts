import { statements } from './statements.ts';

/** Maximum length of a call's searchable text, in characters. */
export const MAX_SAID_LENGTH = 4096;

/** An expression for the searchable texts of the row of `calls` called `row`, separated by commas. */
export type Texts = (row: string) => string;

export const contentTexts: Texts = (row) =>
  `${row}.agent_name, ${row}.short_summary, (select string_agg(value, ' ') from jsonb_each_text(${row}.metadata))`;

/** The columns of `call_facts` derived from the row of `calls` called `row`, with their expressions. */
function factsOf(row: string, texts: Texts): Record<string, string> {
  return {
    call_id: `${row}.call_id`,
    account_id: `${row}.account_id`,
    created_at: `${row}.created_at`,
    joined_at: `${row}.joined_at`,
    ended_at: `${row}.ended_at`,
    end_reason: `${row}.end_reason`,
    agent_id: `${row}.agent_id`,
    voice_id: `${row}.voice_id`,
    billing_status: `${row}.billing_status`,
    billed_duration_ms: `${row}.billed_duration_ms`,
    max_duration: `${row}.settings->>'maxDuration'`,
    recording_enabled: `(${row}.settings->>'recordingEnabled')::boolean`,
    had_summary: `${row}.summary is not null`,
    labels: `coalesce((select array_agg(call_label(${row}.account_id, key, value))
      from jsonb_each_text(${row}.metadata)), '{}')`,
    said: `left(concat_ws(' ', ${texts(row)}), ${MAX_SAID_LENGTH})`,
  };
}

const LASTING = ['call_id', 'account_id', 'created_at', 'max_duration', 'recording_enabled'];

/** The trigger functions that add and change facts. `texts`: found by `search`. */
export function factsFunctions(texts: Texts): string[] {
  const facts = factsOf('new', texts);
  const changes = Object.entries(facts).filter(([column]) => !LASTING.includes(column));
  return [
    `create or replace function add_call_facts() returns trigger language plpgsql as $$
    begin
      insert into call_facts (${Object.keys(facts).join(', ')}) values (${Object.values(facts).join(', ')});
      return null;
    end $$`,
    `create or replace function change_call_facts() returns trigger language plpgsql as $$
    begin
      update call_facts set ${changes.map(([column, value]) => `${column} = ${value}`).join(', ')}
        where call_id = new.call_id;
      return null;
    end $$`,
  ];
}

const past = factsOf('calls', contentTexts);

/**
 * The data by which calls are found, counted and billed, in narrow rows that outlive the call. Triggers
 * maintain them, so no writer of `calls` can omit them.
 */
export const callLists = statements(
  // A digest of one metadata pair of an account; the pair cannot be recovered from it.
  `create function call_label(account uuid, key text, value text) returns bigint
    language sql immutable strict parallel safe as $$
    select hashtextextended(value, hashtextextended(key, uuid_hash_extended(account, 0)))
  $$`,
  // Each word includes the account, so a search reads only the account's part of the index. Uses no language
  // configuration, as calls have many languages. The declared cost stops the planner from recomputing the
  // words for each row.
  `create function call_words(account uuid, said text) returns tsvector
    language sql immutable strict parallel safe as $$
    select coalesce(array_to_tsvector(array_agg(account::text || ' ' || lexeme)), '') from unnest(to_tsvector('simple', said))
  $$`,
  // All words, the last one by its prefix; null for text without words.
  `create function call_search(account uuid, search text) returns tsquery
    language sql immutable strict parallel safe as $$
    select (regexp_replace(nullif(plainto_tsquery('simple', search)::text, ''),
      '''((?:[^'']|'''')*)''', '''' || account::text || ' \\1''', 'g') || ':*')::tsquery
  $$`,
  // Columns that every list needs come first.
  `create table call_facts (
    call_id uuid primary key,
    account_id uuid not null references accounts,
    deleted_at timestamptz(3),
    created_at timestamptz(3) not null,
    joined_at timestamptz(3),
    ended_at timestamptz(3),
    duration_ms integer generated always as (
      case when ended_at is not null then greatest(0, (extract(epoch from ended_at - joined_at) * 1000)::integer) end
    ) stored,
    time_of_day time(3) generated always as ((created_at at time zone 'UTC')::time) stored,
    end_reason text,
    agent_id uuid,
    voice_id uuid,
    billing_status text not null,
    billed_duration_ms integer,
    max_duration text not null,
    recording_enabled boolean not null,
    had_summary boolean not null,
    labels bigint[] not null,
    said text not null
  ) with (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02
  )`,
  `insert into call_facts (${Object.keys(past).join(', ')}) select ${Object.values(past).join(', ')} from calls`,

  // docs/internals/call-lists.md explains the indexes.
  `create index call_facts_listed on call_facts (account_id, created_at desc, call_id desc)
    include (agent_id, voice_id, duration_ms, time_of_day) where deleted_at is null`,
  `create index call_facts_deleted on call_facts (account_id, created_at desc, call_id desc)
    where deleted_at is not null`,
  `create index call_facts_by_time on call_facts (account_id, created_at)`,
  `create index call_facts_by_end on call_facts (account_id, (coalesce(ended_at, 'infinity')), call_id)
    where deleted_at is null`,
  `create index call_facts_by_duration on call_facts (account_id, (coalesce(duration_ms, -1)), call_id)
    where deleted_at is null`,
  `create index call_facts_by_agent on call_facts (account_id, agent_id, created_at desc, call_id desc)
    where deleted_at is null and agent_id is not null`,
  `create index call_facts_by_label on call_facts using gin (labels) with (fastupdate = off)`,
  `create index call_facts_by_word on call_facts using gin (call_words(account_id, said)) with (fastupdate = off)`,
  `drop index calls_by_account`,
  `drop index calls_by_metadata`,

  ...factsFunctions(contentTexts),
  `create trigger call_facts_added after insert on calls for each row execute function add_call_facts()`,
  `create trigger call_facts_changed after update on calls for each row execute function change_call_facts()`,
  // Transcript and summary texts are removed; the agent's name stays searchable.
  `create function bury_call_facts() returns trigger language plpgsql as $$
  begin
    update call_facts set deleted_at = now(), said = coalesce(old.agent_name, '')
      where call_id = old.call_id;
    return null;
  end $$`,
  `create trigger call_facts_buried after delete on calls
    for each row execute function bury_call_facts()`,
);
