import { statements } from './statements.ts';

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
