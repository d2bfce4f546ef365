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
