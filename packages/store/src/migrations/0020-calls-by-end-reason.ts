import { statements } from './statements.ts';

/** docs/internals/call-lists.md explains the index. */
export const callsByEndReason = statements(
  `create index call_facts_by_end_reason on call_facts (account_id, end_reason, created_at desc, call_id desc)
    where deleted_at is null`,
);
