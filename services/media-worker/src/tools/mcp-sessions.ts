import type { McpSessions, McpToolRequest, ToolServices } from '@calls/conversation/ports/tools';
import type { Clock } from '@calls/foundation/clock';
import { McpConnection } from '@calls/mcp-client/mcp-connection';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';

interface Deps {
  outbound: OutboundHttp;
  clock: Clock;
}

/** Opens the sessions of one call with MCP servers. */
export function createMcpSessions(deps: Deps): ToolServices['mcp'] {
  return ({ accountId, signatureHeaders }): McpSessions => {
    const connections = new Map<string, McpConnection>();
    const connectionTo = ({ url, headers }: McpToolRequest): McpConnection => {
      const key = JSON.stringify([url, headers]);
      const connection =
        connections.get(key) ?? new McpConnection({ url, headers, accountId }, { ...deps, signatureHeaders });
      connections.set(key, connection);
      return connection;
    };
    return {
      call(request, { timeoutMs, signal }) {
        return connectionTo(request).callTool(request.toolName, request.arguments, { timeoutMs, signal });
      },
      close() {
        for (const connection of connections.values()) void connection[Symbol.asyncDispose]();
        connections.clear();
      },
    };
  };
}
