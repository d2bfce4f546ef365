import { statements } from './statements.ts';

/** The order of `sort=name`, which ignores case. */
export const agentsByName = statements(
  `create index agents_by_name_key on agents (account_id, lower(name), agent_id) where deleted_at is null`,
  `drop index agents_by_name`,
);
