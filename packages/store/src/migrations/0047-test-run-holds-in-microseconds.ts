import { statements } from './statements.ts';

/** The turns of accounts follow `held_until`: two runs that start within one millisecond must still be in order. */
export const testRunHoldsInMicroseconds = statements(
  `alter table test_runs alter column held_until type timestamptz`,
);
