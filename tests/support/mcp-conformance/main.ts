import { systemClock } from '@calls/foundation/clock';
import { readOwnConfig } from '@calls/foundation/lifecycle';
import { text } from '@calls/foundation/variable';
import { AccessTokens } from '@calls/mcp-client/access-tokens';
import { McpConnection } from '@calls/mcp-client/mcp-connection';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';

/**
 * The client under test in the MCP conformance suite. It lists the tools of the server whose URL is the last argument
 * and calls each of them.
 */
const { MCP_TOOL_ARGUMENTS: given, MCP_CONFORMANCE_CONTEXT: context } = readOwnConfig(process.env, (env) =>
  env.read({
    MCP_TOOL_ARGUMENTS: text({ default: '{}', meaning: 'arguments of every tool, as JSON' }),
    MCP_CONFORMANCE_CONTEXT: text({ default: '{}', meaning: 'credentials of the scenario, as JSON' }),
  }),
);
const credentials = JSON.parse(context) as { client_id?: string; client_secret?: string };
const { client_id: clientId, client_secret: clientSecret } = credentials;
const oauthClient =
  clientId !== undefined && clientSecret !== undefined ? { oauthClient: { clientId, clientSecret } } : {};
const url = process.argv.at(-1) ?? '';
const timeoutMs = 20_000;

await using outbound = createOutboundHttp({ allowPrivateNetworks: true });
await using server = new McpConnection(
  { url, headers: {}, accountId: 'conformance', ...oauthClient },
  { outbound, clock: systemClock, accessTokens: new AccessTokens({ outbound, clock: systemClock }) },
);
const args = JSON.parse(given) as Record<string, unknown>;
for (const { name } of await server.listTools({ timeoutMs })) {
  const result = await server.callTool(name, args, { timeoutMs });
  if (result.isError) throw new Error(`${name} failed: ${result.text}`);
}
