import type { CallTool, Tool } from '@calls/api-contract';
import type { CallToolRow, ToolRow } from '@calls/store';

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
