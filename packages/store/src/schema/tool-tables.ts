import type { BaseToolDefinition, CallToolDefinition } from '@calls/api-contract/rest/tool';
import type { ColumnType } from 'kysely';

export interface ToolTable {
  tool_id: string;
  /** Null: public, for every account. */
  account_id: string | null;
  name: string;
  /** What the name is ordered by. */
  name_key: ColumnType<string, never, never>;
  definition: ColumnType<BaseToolDefinition, string, string>;
  created_at: ColumnType<Date, Date, never>;
}

/** Tools as the calls have them, stage by stage. */
export interface CallToolTable {
  call_tool_id: string;
  account_id: string;
  call_id: string;
  stage_id: string;
  /** Dense and 0-based within the stage. */
  tool_index: number;
  /** Null for temporary tools. The tool may be gone: what the call needs of it is here. */
  tool_id: string | null;
  /** Unique within the stage: what the model knows it by. */
  name: string;
  definition: ColumnType<CallToolDefinition, string, never>;
  /** Values of `authHeaders` and `authQueryParams` of the definition; null where it has none. */
  sealed_auth: string | null;
}

/** Tables of tools and the tools of calls. */
export interface ToolTables {
  tools: ToolTable;
  call_tools: CallToolTable;
}
