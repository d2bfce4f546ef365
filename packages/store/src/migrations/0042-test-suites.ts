import { statements } from './statements.ts';

/** Scenarios that are stored with an agent. */
export const testSuites = statements(
  `alter table agents add column test_scenarios jsonb not null default '[]'`,
);
