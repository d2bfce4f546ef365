import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Accounts, keys, voices, calls and their data, and the outbox. */
export const initialSchema: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table accounts (
    account_id uuid primary key,
    name text not null,
    plan text not null check (plan in ('FREE', 'PAYGO', 'PRO', 'SCALE')),
    features text[] not null default '{}',
    free_seconds_used integer not null default 0 check (free_seconds_used >= 0),
    created_at timestamptz(3) not null
  )`,

  `create table api_keys (
    key_id uuid primary key,
    account_id uuid not null references accounts,
    name text not null,
    prefix text not null unique,
    hash bytea not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  )`,
  `create index api_keys_by_account on api_keys (account_id, created_at desc)`,

  `create table voices (
    voice_id uuid primary key,
    account_id uuid references accounts,
    slug text unique,
    name text not null,
    description text,
    primary_language text,
    language_label text,
    billing_style text not null,
    provider text,
    engine text not null,
    engine_settings jsonb not null default '{}',
    position integer not null,
    created_at timestamptz(3) not null,
    withdrawn_at timestamptz(3)
  )`,
  `create index voices_by_name on voices (name) where withdrawn_at is null`,
  `create index voices_in_order on voices (position, voice_id) where withdrawn_at is null`,

  `create table calls (
    call_id uuid primary key,
    account_id uuid not null references accounts,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    joined_at timestamptz(3),
    ended_at timestamptz(3),
    end_reason text,
    client_version text,
    voice_id uuid references voices,
    billing_status text not null default 'BILLING_STATUS_PENDING',
    billed_duration_ms integer,
    side_input_tokens integer,
    side_output_tokens integer,
    short_summary text,
    summary text,
    metadata jsonb not null,
    settings jsonb not null,
    check ((ended_at is null) = (end_reason is null))
  )`,
  // The list of an account's calls and its cursor; an index-only scan counts its total.
  `create index calls_by_account on calls (account_id, created_at desc, call_id desc)`,
  // Live calls, and the expired ones among them: the index stays small however large the table is.
  `create index calls_live on calls (expires_at, account_id) where ended_at is null`,
  `create index calls_by_metadata on calls using gin (metadata jsonb_path_ops)`,

  `create table call_stages (
    stage_id uuid primary key,
    call_id uuid not null references calls on delete cascade,
    stage_index integer not null check (stage_index >= 0),
    created_at timestamptz(3) not null,
    ended_at timestamptz(3),
    overrides jsonb not null default '{}',
    unique (call_id, stage_index)
  )`,

  `create table call_messages (
    call_id uuid not null references calls on delete cascade,
    stage_id uuid not null,
    message_index integer not null check (message_index >= 0),
    seq integer not null check (seq > 0),
    role text not null,
    added_at timestamptz(3) not null,
    message jsonb not null,
    primary key (call_id, stage_id, message_index),
    unique (call_id, seq)
  )`,

  `create table call_events (
    call_id uuid not null references calls on delete cascade,
    seq integer not null check (seq > 0),
    stage_id uuid not null,
    call_timestamp_ms double precision not null,
    wall_clock_at timestamptz(3) not null,
    severity text not null check (severity in ('debug', 'info', 'warning', 'error')),
    type text not null,
    text text not null,
    extras jsonb,
    primary key (call_id, seq)
  )`,

  `create table call_event_log (
    call_id uuid not null references calls on delete cascade,
    seq integer not null,
    type text not null,
    primary key (call_id, seq)
  )`,

  `create table outbox (
    outbox_id uuid primary key,
    topic text not null,
    payload jsonb not null,
    created_at timestamptz(3) not null default now(),
    due_at timestamptz(3) not null default now(),
    attempts integer not null default 0
  )`,
  `create index outbox_due on outbox (topic, due_at)`,
];
