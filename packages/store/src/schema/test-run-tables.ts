import type { TestChange, TestResult } from '@calls/api-contract/rest/test-run';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { ColumnType, Generated } from 'kysely';

export interface TestRunTable {
  test_run_id: string;
  account_id: string;
  agent_id: string;
  revision_id: string;
  scenarios: ColumnType<TestScenario[], string, never>;
  created_at: ColumnType<Date, Date, never>;
  /** A process has reserved the run until then; null: no process has begun it. */
  held_until: ColumnType<Date | null, never, Date>;
  /** How often a process has begun it. */
  attempts: Generated<number>;
  ended_at: ColumnType<Date | null, never, Date>;
  /** Empty before the end. */
  results: ColumnType<TestResult[], never, string>;
  /** The run that `changes` compares with. */
  previous_run_id: ColumnType<string | null, never, string | null>;
  changes: ColumnType<TestChange[], never, string>;
}

export interface TestRunTables {
  test_runs: TestRunTable;
}
