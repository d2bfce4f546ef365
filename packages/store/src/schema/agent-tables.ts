import type { CallTemplate } from '@calls/api-contract';
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
}

/** Tables of agents and their revisions. */
export interface AgentTables {
  agents: AgentTable;
  agent_revisions: AgentRevisionTable;
}
