import { statements } from './statements.ts';

export const callHolders = statements(
  `alter table calls add column worker_id text, add column refused_at timestamptz`,
  // Live calls by worker: the index stays small however large the table is.
  `create index calls_by_holder on calls (worker_id) where ended_at is null and joined_at is not null`,
);
