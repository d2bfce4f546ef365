import { statements } from './statements.ts';

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
