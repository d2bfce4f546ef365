import type { CallTool, Tool } from '@calls/api-contract/rest/tool-resource';
import type { CallToolRow } from '@calls/store/tables/call-tools';
import type { ToolRow } from '@calls/store/tables/tools';

export function toolView(row: ToolRow): Tool {
  return {
    toolId: row.tool_id,
    name: row.name,
    created: row.created_at.toISOString(),
    definition: row.definition,
    ownership: row.account_id === null ? 'public' : 'private',
  };
}

export function callToolView(row: Omit<CallToolRow, 'sealed_auth'>): CallTool {
  return {
    callToolId: row.call_tool_id,
    toolId: row.tool_id,
    name: row.name,
    definition: row.definition,
  };
}
