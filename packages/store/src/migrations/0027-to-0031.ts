import { statements } from './statements.ts';

/** Media workers hold registrations by leases. `version` changes with the settings, even if earlier releases write them. */
export const heldSipRegistrations = statements(
  `alter table sip_registrations
    add column last_error text check (length(last_error) <= 200),
    add column expires_at timestamptz(3),
    add column contact_user text not null default replace(gen_random_uuid()::text, '-', ''),
    add column version text not null generated always as (md5(
      username || E'\\x01' || sealed_password || E'\\x01' || proxy || E'\\x01' || coalesce(outbound_proxy, '') ||
      E'\\x01' || coalesce(auth_user, ''))) stored,
    add column held_by text,
    add column held_until timestamptz(3),
    add column epoch integer not null default 0`,
  `create index sip_registrations_by_holder on sip_registrations (held_by)`,
);

export const sipTrunks = statements(
  `create table sip_trunks (
    trunk_id uuid primary key,
    account_id uuid not null references accounts,
    name text not null,
    enabled boolean not null,
    proxy text,
    outbound_proxy text,
    default_from text,
    numbers text[] not null,
    allowed_cidr_ranges text[] not null,
    credentials jsonb not null,
    max_calls integer check (max_calls > 0),
    created_at timestamptz(3) not null
  )`,
  'create index sip_trunks_by_account on sip_trunks (account_id, created_at, trunk_id)',
  'alter table calls add column sip_trunk_id uuid',
  'create index calls_live_by_trunk on calls (sip_trunk_id) where ended_at is null and sip_trunk_id is not null',
);

/** What answered outgoing calls with answering machine detection. */
export const answeredBy = statements('alter table calls add column answered_by text');

/** The codecs of a trunk, best first; empty: the default ones. */
export const sipTrunkCodecs = statements(
  "alter table sip_trunks add column codecs text[] not null default '{}'",
);

/** Calls to the people of warm transfers. */
export const transferLegs = statements(
  `create table transfer_legs (
    leg_id uuid primary key,
    call_id uuid not null references calls on delete cascade,
    started_at timestamptz(3) not null,
    ended_at timestamptz(3),
    sip_trunk_id uuid
  )`,
  'create index transfer_legs_by_call on transfer_legs (call_id)',
  `create index transfer_legs_live_by_trunk on transfer_legs (sip_trunk_id)
    where ended_at is null and sip_trunk_id is not null`,
);
