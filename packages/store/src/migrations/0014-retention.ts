import { statements } from './statements.ts';

export const retention = statements(
  // Calls to be deleted: a small index, as they are deleted soon.
  `create index calls_kept_until_billed on calls (ended_at)
    where retention_policy = 'auto_delete' and ended_at is not null`,
);
