import { join } from 'node:path';
import { askStandIn, startStandInProcess } from '@calls/testkit/stand-in-process';
import type { OAuthOptions } from './authorization-server.ts';
import type { SeenByMcpServer } from './server.ts';

/** A customer MCP server in its own process. */
export interface McpServerProcess extends AsyncDisposable {
  /** URL of its MCP endpoint. */
  readonly url: string;
  seen(): Promise<SeenByMcpServer>;
  /** Deletes all sessions, as a restart does. */
  expireSessions(): Promise<void>;
  /** Makes all access tokens invalid. */
  revokeTokens(): Promise<void>;
  kill(): Promise<void>;
}

/** With `oauth`, requests require an access token instead of `token`. */
export async function startMcpServer(token: string, oauth?: OAuthOptions): Promise<McpServerProcess> {
  const main = join(import.meta.dirname, 'main.ts');
  const child = await startStandInProcess<{ url: string }>(main, {
    MCP_TOKEN: token,
    ...(oauth && { MCP_OAUTH: JSON.stringify(oauth) }),
  });
  const { url } = child.ready;
  return {
    url: `${url}/mcp`,
    seen: async () => (await askStandIn(`${url}/-/seen`)) as SeenByMcpServer,
    async expireSessions() {
      await askStandIn(`${url}/-/expire`);
    },
    async revokeTokens() {
      await askStandIn(`${url}/-/revoke`);
    },
    kill: () => child.kill(),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
