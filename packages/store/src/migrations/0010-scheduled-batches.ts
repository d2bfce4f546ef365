import { statements } from './statements.ts';

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
