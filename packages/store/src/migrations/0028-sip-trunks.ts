import { statements } from './statements.ts';

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
