import { statements } from './statements.ts';

/** Tests of agents with simulated callers. */
export const testRuns = statements(
  `create table test_runs (
    test_run_id uuid primary key,
    account_id uuid not null references accounts,
    agent_id uuid not null,
    revision_id uuid not null,
    scenarios jsonb not null,
    created_at timestamptz(3) not null,
    held_until timestamptz(3),
    attempts integer not null default 0,
    ended_at timestamptz(3),
    results jsonb not null default '[]',
    previous_run_id uuid,
    changes jsonb not null default '[]'
  )`,
  'create index test_runs_by_account on test_runs (account_id, created_at desc, test_run_id desc)',
  'create index test_runs_by_agent on test_runs (agent_id, created_at desc, test_run_id desc)',
  'create index test_runs_waiting on test_runs (created_at) where ended_at is null',
);
