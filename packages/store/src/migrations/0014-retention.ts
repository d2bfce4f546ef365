import { statements } from './statements.ts';

export const retention = statements(
  // Calls that are to be deleted: small, whatever the table holds, as they are soon gone.
  `create index calls_kept_until_billed on calls (ended_at)
    where retention_policy = 'auto_delete' and ended_at is not null`,
);
