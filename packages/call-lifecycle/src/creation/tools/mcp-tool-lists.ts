import type { Clock } from '@calls/foundation/clock';
import { AccessTokens } from '@calls/mcp-client/access-tokens';
import type { McpDeps, McpServer, McpTool } from '@calls/mcp-client/mcp-connection';
import { McpError } from '@calls/mcp-client/mcp-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { McpServerTool } from '@calls/store/schema/tool-tables';
import type { Database } from '@calls/store/store';
import { findMcpToolList, saveMcpToolList } from '@calls/store/tables/mcp-tool-lists';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { mcpParameters } from './mcp-parameters.ts';

/** Lists the tools of MCP servers. */
export interface McpToolLists {
  /** Throws an McpError if the server does not list them and there is no stored list. */
  toolsOf(server: McpServer): Promise<readonly McpServerTool[]>;
}

/** Time limit of a request. Callers wait for it when a call or a stage is created. */
const LIMIT_MS = 3000;
const FRESH_MS = 60_000;
/** How long a stored list is used while the server does not respond. */
const FALLBACK_MS = 7 * 24 * 3_600_000;
const MAX_LIST_CHARS = 256 * 1024;

interface FetchDeps {
  outbound: OutboundHttp;
  checksOf: ChecksOf;
  clock: Clock;
}

/**
 * Lists are reused for a minute, and for longer as a fallback, so that calls can begin while a server is down. The tools of
 * such a call return errors.
 */
export function createMcpToolLists(given: FetchDeps & { db: Database; secretBox: SecretBox }): McpToolLists {
  const { db, secretBox, clock } = given;
  const deps = { ...given, accessTokens: new AccessTokens(given) };
  const running = new Map<string, Promise<readonly McpServerTool[]>>();

  const fetched = async (server: McpServer, serverKey: string): Promise<readonly McpServerTool[]> => {
    const { accountId } = server;
    const tools = await fetchTools(server, deps);
    await saveMcpToolList(db, { accountId, serverKey, tools, fetchedAt: new Date(clock.wallMs()) });
    return tools;
  };
  const shared = (server: McpServer, serverKey: string): Promise<readonly McpServerTool[]> => {
    const known = running.get(serverKey);
    if (known) return known;
    const fetching = fetched(server, serverKey).finally(() => running.delete(serverKey));
    running.set(serverKey, fetching);
    return fetching;
  };

  return {
    async toolsOf(server) {
      const { accountId, url, headers, oauthClient } = server;
      const credentials = [url, headers, ...(oauthClient ? [oauthClient] : [])];
      const serverKey = secretBox.fingerprint(JSON.stringify(credentials), `mcp:${accountId}`);
      const stored = await findMcpToolList(db, accountId, serverKey);
      const ageMs = stored ? clock.wallMs() - stored.fetched_at.getTime() : Infinity;
      if (stored && ageMs < FRESH_MS) return stored.tools;
      try {
        return await shared(server, serverKey);
      } catch (thrown) {
        if (stored && ageMs < FALLBACK_MS && thrown instanceof McpError) return stored.tools;
        throw thrown;
      }
    },
  };
}

/** Lists that are fetched once for each server, and not stored: for a program that ends soon. */
export function createUnstoredMcpToolLists(given: FetchDeps): McpToolLists {
  const deps = { ...given, accessTokens: new AccessTokens(given) };
  const lists = new Map<string, Promise<readonly McpServerTool[]>>();
  return {
    toolsOf(server) {
      const key = JSON.stringify(server);
      const list = lists.get(key) ?? fetchTools(server, deps);
      lists.set(key, list);
      return list;
    },
  };
}

async function fetchTools(server: McpServer, deps: FetchDeps & McpDeps): Promise<readonly McpServerTool[]> {
  const listed = await listTools(server, deps);
  const parameters = await mcpParameters(
    listed.map(({ inputSchema }) => inputSchema),
    deps.checksOf(server.accountId),
  );
  return listed.map(({ name, description, isReadOnly }, index) => {
    const ofTool = parameters[index] ?? [];
    return { name, description, parameters: ofTool, isReadOnly };
  });
}

async function listTools(server: McpServer, deps: McpDeps): Promise<readonly McpTool[]> {
  const { McpConnection } = await import('@calls/mcp-client/mcp-connection');
  const connection = new McpConnection(server, deps);
  try {
    const tools = await connection.listTools({ timeoutMs: LIMIT_MS });
    if (JSON.stringify(tools).length <= MAX_LIST_CHARS) return tools;
    const message = `the MCP server's list of tools is longer than ${MAX_LIST_CHARS} characters`;
    throw new McpError('mcp_response_invalid', message);
  } finally {
    // Nothing depends on the end of the session.
    void connection[Symbol.asyncDispose]();
  }
}
