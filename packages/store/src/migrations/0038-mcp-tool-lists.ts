import { statements } from './statements.ts';

/** The tools of MCP servers, so that calls can begin while a server is not available. */
export const mcpToolLists = statements(
  `create table mcp_tool_lists (
    account_id uuid not null references accounts,
    server_key text not null,
    tools json not null,
    fetched_at timestamptz(3) not null,
    primary key (account_id, server_key)
  )`,
);
