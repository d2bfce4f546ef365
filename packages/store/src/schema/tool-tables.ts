import type { BaseToolDefinition, CallToolDefinition } from '@calls/api-contract/rest/tool';
import type { DynamicParameter } from '@calls/api-contract/rest/tool-parameters';
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

/** What MCP servers responded when they listed their tools. */
export interface McpToolListTable {
  account_id: string;
  /** Identifies the URL and the credentials; reveals neither. */
  server_key: string;
  tools: ColumnType<readonly McpServerTool[], string, string>;
  fetched_at: Date;
}

/** A tool of an MCP server. */
export interface McpServerTool {
  name: string;
  description: string;
  parameters: readonly DynamicParameter[];
  /** The server claims that the tool changes nothing. */
  isReadOnly: boolean;
}

/** Tables of tools and the tools of calls. */
export interface ToolTables {
  mcp_tool_lists: McpToolListTable;
  tools: ToolTable;
  call_tools: CallToolTable;
}
