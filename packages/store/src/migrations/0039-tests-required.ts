import { statements } from './statements.ts';

/** Agents whose revisions are published only after passed tests. */
export const testsRequired = statements(
  `alter table agents add column tests_required boolean not null default false`,
);
