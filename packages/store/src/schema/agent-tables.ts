import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { ColumnType } from 'kysely';

export interface AgentTable {
  agent_id: string;
  account_id: string;
  name: string;
  /** Null: the agent has no template. */
  published_revision_id: string | null;
  created_at: ColumnType<Date, Date, never>;
  /** Set: gone for everybody, kept for what its calls show of it. */
  deleted_at: Date | null;
}

/** A call template as it was at a time; never changes. */
export interface AgentRevisionTable {
  revision_id: string;
  agent_id: string;
  /** Secrets sealed, without its times. */
  template: ColumnType<CallTemplate, string, never>;
  /** When the agent got the template that this one comes from. */
  template_created_at: ColumnType<Date, Date, never>;
  created_at: ColumnType<Date, Date, never>;
  /** What the agent was called then. Null, as what follows: not known. */
  agent_name: ColumnType<string | null, string, never>;
  /** Of the key with which it was asked for. */
  key_prefix: ColumnType<string | null, string, never>;
  from_console: ColumnType<boolean | null, boolean, never>;
  /** The revision whose template this one repeats; null: none. */
  restored_from: ColumnType<string | null, string | null, never>;
  /** Of the template, that are not as in the revision before. */
  changed_fields: ColumnType<string[] | null, string[], never>;
}

/** Tables of agents and their revisions. */
export interface AgentTables {
  agents: AgentTable;
  agent_revisions: AgentRevisionTable;
}
