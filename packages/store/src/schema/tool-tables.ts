import type { BaseToolDefinition, CallToolDefinition } from '@calls/api-contract/rest/tool';
import type { ColumnType } from 'kysely';

export interface ToolTable {
  tool_id: string;
  /** Null: public, for every account. */
  account_id: string | null;
  name: string;
  /** Sort key of the name. */
  name_key: ColumnType<string, never, never>;
  definition: ColumnType<BaseToolDefinition, string, string>;
  created_at: ColumnType<Date, Date, never>;
}

/** The tools of calls, by stage. */
export interface CallToolTable {
  call_tool_id: string;
  account_id: string;
  call_id: string;
  stage_id: string;
  /** Dense and 0-based within the stage. */
  tool_index: number;
  /** Null for temporary tools. The tool may have been deleted: this row holds what the call needs. */
  tool_id: string | null;
  /** Unique within the stage: the name shown to the model. */
  name: string;
  definition: ColumnType<CallToolDefinition, string, never>;
  /** Encrypted values of the definition's `authHeaders` and `authQueryParams`; null if it has none. */
  sealed_auth: string | null;
}

/** Tables of tools and the tools of calls. */
export interface ToolTables {
  tools: ToolTable;
  call_tools: CallToolTable;
}
