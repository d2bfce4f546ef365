import { statements } from './statements.ts';

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
