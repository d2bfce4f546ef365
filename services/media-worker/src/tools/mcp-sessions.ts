import type { McpSessions, McpToolRequest, ToolServices } from '@calls/conversation/ports/tools';
import type { Clock } from '@calls/foundation/clock';
import { AccessTokens } from '@calls/mcp-client/access-tokens';
import type { McpConnection, McpServer } from '@calls/mcp-client/mcp-connection';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';

interface Deps {
  outbound: OutboundHttp;
  clock: Clock;
}

/** Opens the sessions of one call with MCP servers. Calls of the worker share access tokens. */
export function createMcpSessions(deps: Deps): ToolServices['mcp'] {
  const accessTokens = new AccessTokens(deps);
  return ({ accountId, signatureHeaders }): McpSessions => {
    const connections = new Map<string, Promise<McpConnection>>();
    const open = async (server: McpServer): Promise<McpConnection> => {
      const { McpConnection } = await import('@calls/mcp-client/mcp-connection');
      return new McpConnection(server, { ...deps, accessTokens, signatureHeaders });
    };
    const connectionTo = ({ url, auth }: McpToolRequest): Promise<McpConnection> => {
      const { headers, oauthClient } = auth;
      const key = JSON.stringify([url, headers, oauthClient]);
      const server = { url, headers, accountId, ...(oauthClient && { oauthClient }) };
      const opened = connections.get(key);
      if (opened) return opened;
      const connection = open(server);
      connections.set(key, connection);
      connection.catch(() => connections.delete(key));
      return connection;
    };
    return {
      async call(request, { timeoutMs, signal }) {
        const connection = await connectionTo(request);
        return connection.callTool(request.toolName, request.arguments, { timeoutMs, signal });
      },
      close() {
        for (const connection of connections.values())
          void connection.then(
            (opened) => opened[Symbol.asyncDispose](),
            () => undefined,
          );
        connections.clear();
      },
    };
  };
}
