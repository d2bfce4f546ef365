import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { ColumnType, Generated } from 'kysely';

export interface AgentTable {
  agent_id: string;
  account_id: string;
  name: string;
  /** Null: the agent has no template. */
  published_revision_id: string | null;
  /** Whether a revision is published only after a test run in which all scenarios passed. */
  tests_required: Generated<boolean>;
  /** The test suite. */
  test_scenarios: ColumnType<TestScenario[], string | undefined, string>;
  created_at: ColumnType<Date, Date, never>;
  /** If set, the agent is deleted; the row remains because its calls refer to it. */
  deleted_at: Date | null;
}

/** An immutable snapshot of a call template. */
export interface AgentRevisionTable {
  revision_id: string;
  agent_id: string;
  /** Secrets encrypted; without timestamps. */
  template: ColumnType<CallTemplate, string, never>;
  /** When the agent got the template that this one derives from. */
  template_created_at: ColumnType<Date, Date, never>;
  created_at: ColumnType<Date, Date, never>;
  /** The agent's name at that time. This and the following columns are null if unknown. */
  agent_name: ColumnType<string | null, string, never>;
  /** Prefix of the API key that made the change. */
  key_prefix: ColumnType<string | null, string, never>;
  from_console: ColumnType<boolean | null, boolean, never>;
  /** The revision whose template this one restores; null if none. */
  restored_from: ColumnType<string | null, string | null, never>;
  /** Template fields that differ from the previous revision. */
  changed_fields: ColumnType<string[] | null, string[], never>;
}

/** Tables of agents and their revisions. */
export interface AgentTables {
  agents: AgentTable;
  agent_revisions: AgentRevisionTable;
}
