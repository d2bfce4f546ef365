import { statements } from './statements.ts';

export const telephony = statements(
  `create table telephony_configs (
    account_id uuid not null references accounts,
    provider text not null check (provider in ('telephony1', 'telephony2', 'telephony3')),
    identifiers jsonb not null,
    secrets jsonb not null,
    allowed_agent_ids uuid[] not null,
    allow_all_agents boolean not null,
    request_context_mapping jsonb not null,
    primary key (account_id, provider)
  )`,

  `create table sip_configs (
    account_id uuid primary key references accounts,
    allowed_cidr_ranges text[] not null default '{}',
    allow_all_agents boolean not null default false,
    allowed_agents jsonb not null default '[]',
    fallback_handler jsonb
  )`,
  `create table sip_registrations (
    registration_id uuid primary key,
    account_id uuid not null references accounts,
    username text not null,
    sealed_password text not null,
    proxy text not null,
    outbound_proxy text,
    auth_user text,
    successful boolean,
    created_at timestamptz(3) not null,
    unique (account_id, username, proxy)
  )`,
  `create index sip_registrations_by_account on sip_registrations (account_id, created_at, registration_id)`,
);

export const callStages = statements(
  `alter table call_stages
    add column began_at timestamptz(3),
    add column initial_message_count integer not null default 0 check (initial_message_count >= 0)`,
  // Existing calls have a single stage, which began with the call's own messages.
  `update call_stages set initial_message_count = jsonb_array_length(settings->'initialMessages')
    from calls
    where calls.call_id = call_stages.call_id and jsonb_typeof(settings->'initialMessages') = 'array'`,
);

export const retention = statements(
  // Calls to be deleted: a small index, as they are deleted soon.
  `create index calls_kept_until_billed on calls (ended_at)
    where retention_policy = 'auto_delete' and ended_at is not null`,
);

export const callHolders = statements(
  `alter table calls add column worker_id text, add column refused_at timestamptz`,
  // Live calls by worker: the index stays small however large the table is.
  `create index calls_by_holder on calls (worker_id) where ended_at is null and joined_at is not null`,
);

export const webhookDeliveries = statements(
  `alter table webhooks add column consecutive_failures integer not null default 0`,

  // No foreign keys: deliveries outlive their call, and inserting one takes no lock on the account.
  `create table webhook_deliveries (
    delivery_id uuid primary key,
    account_id uuid not null,
    receiver_id uuid not null,
    webhook_id uuid,
    call_id uuid,
    event text not null,
    step smallint not null,
    url text not null,
    content text,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    tries_left integer not null,
    created_at timestamptz(3) not null default now(),
    due_at timestamptz(3) not null default now(),
    give_up_at timestamptz(3) not null,
    held_until timestamptz(3),
    trace text,
    last_attempt_at timestamptz(3),
    last_failure text,
    finished_at timestamptz(3),
    check ((status = 'pending') = (finished_at is null))
  ) with (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_insert_scale_factor = 0.05
  )`,
  // The next deliveries of a receiver.
  `create index webhook_deliveries_due on webhook_deliveries (receiver_id, due_at, delivery_id)
    where status = 'pending'`,
  // Each receiver gets an event of a call once. Also finds the deliveries of one call.
  `create unique index webhook_deliveries_of_call on webhook_deliveries (call_id, event, receiver_id)`,
  `create index webhook_deliveries_listed on webhook_deliveries (account_id, delivery_id)`,
  // Pending and dead deliveries, however many were delivered.
  `create index webhook_deliveries_owed on webhook_deliveries (account_id, delivery_id)
    where status <> 'delivered'`,
  `create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id) where webhook_id is not null`,
  `create index webhook_deliveries_finished on webhook_deliveries (finished_at) where status <> 'pending'`,
);

export const outboxTrace = statements(
  // The W3C `traceparent` of the operation that caused the message.
  'alter table outbox add column trace text',
);

export const consoleCalls = statements(
  // Started by a user in the console: free of charge.
  'alter table calls add column from_console boolean not null default false',
);

export const agentRevisions = statements(
  // Null for revisions created before this migration.
  `alter table agent_revisions
    add column agent_name text,
    add column key_prefix text,
    add column from_console boolean,
    add column restored_from uuid,
    add column changed_fields text[]`,
  `drop index agent_revisions_by_agent`,
  `create index agent_revisions_by_agent on agent_revisions (agent_id, created_at desc, revision_id desc)`,
  // Templates of deleted agents are no longer read and contain secrets.
  `update agents set published_revision_id = null where deleted_at is not null`,
  `delete from agent_revisions using agents
    where agents.agent_id = agent_revisions.agent_id and agents.deleted_at is not null`,
);

/** docs/internals/call-lists.md explains the index. */
export const callsByEndReason = statements(
  `create index call_facts_by_end_reason on call_facts (account_id, end_reason, created_at desc, call_id desc)
    where deleted_at is null`,
);

export const telephonyCalls = statements(
  `alter table calls add column dialled_at timestamptz, add column transfer_to text`,
);

/** The billed SIP time of a call is part of its facts. Other updates of a call do not run this trigger. */
export const sipCalls = statements(
  `alter table calls
    add column sip_dialled_at timestamptz(3),
    add column sip_duration_ms integer,
    add column sip_billed_duration_ms integer,
    add column sip_termination text,
    add column sip_log_key text`,
  `alter table call_facts add column sip_billed_duration_ms integer`,
  `create function note_sip_bill() returns trigger language plpgsql as $$
  begin
    update call_facts set sip_billed_duration_ms = new.sip_billed_duration_ms where call_id = new.call_id;
    return null;
  end $$`,
  `create trigger call_facts_sip_billed after update of sip_billed_duration_ms on calls
    for each row execute function note_sip_bill()`,
);

/** Event 0 is an event recorded before the call's log begins. */
export const firstCallEvents = statements(
  `alter table call_events
    drop constraint call_events_seq_check,
    add constraint call_events_seq_check check (seq >= 0) not valid`,
);

/** Several events may precede the call's log; the last one is event 0. */
export const severalFirstEvents = statements(
  `alter table call_events
    drop constraint call_events_seq_check,
    add constraint call_events_seq_check check (seq > -10) not valid`,
);

/** Filled in by the operator; the service only reads them. */
export const billing = statements(
  `alter table accounts
    add column payment_method text check (length(payment_method) between 1 and 200),
    add column billing_email text check (length(billing_email) between 3 and 254)`,
  `create table invoices (
    account_id uuid not null references accounts,
    invoice_number text not null check (length(invoice_number) between 1 and 100),
    invoiced_at timestamptz(3) not null,
    amount bigint not null check (abs(amount) <= 9007199254740991),
    billing_reason text not null check (billing_reason in
      ('manual', 'subscription_create', 'subscription_cycle', 'subscription_threshold', 'subscription_update')),
    status text not null check (status in ('paid', 'unpaid')),
    url text not null check (url ~ '^https?://[^[:space:]]+$' and length(url) <= 2048),
    primary key (account_id, invoice_number)
  )`,
  'create index invoices_by_time on invoices (account_id, invoiced_at desc, invoice_number desc)',
);

/** The API validates the vendor names. */
export const telephonyVendors = statements(
  'alter table telephony_configs drop constraint telephony_configs_provider_check',
);
