import { toolTimeoutMs, type BaseToolDefinition } from '@calls/api-contract/rest/tool';
import { mcpServer } from '@calls/call-lifecycle/creation/tools/mcp-tools';
import type { ToolAuth } from '@calls/call-lifecycle/creation/tools/security';
import type { Clock } from '@calls/foundation/clock';
import { AccessTokens } from '@calls/mcp-client/access-tokens';
import { McpError } from '@calls/mcp-client/mcp-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { unprocessable, type ToolResponse, type ToolTest } from './tool-test.ts';

/** Calls a tool of an MCP server, or lists the server's tools if the test names none. The response is JSON. */
export async function testMcpTool(
  definition: BaseToolDefinition,
  { mcpToolName, parameters = {} }: ToolTest,
  auth: ToolAuth,
  { accountId, outbound, clock }: { accountId: string; outbound: OutboundHttp; clock: Clock },
): Promise<ToolResponse> {
  const { McpConnection } = await import('@calls/mcp-client/mcp-connection');
  const accessTokens = new AccessTokens({ outbound, clock });
  const server = mcpServer(definition, auth, accountId);
  const connection = new McpConnection(server, { outbound, clock, accessTokens });
  const timeoutMs = toolTimeoutMs(definition);
  try {
    const result =
      mcpToolName === undefined
        ? await connection.listTools({ timeoutMs })
        : await connection.callTool(mcpToolName, parameters, { timeoutMs });
    return { status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(result)) };
  } catch (thrown) {
    if (!(thrown instanceof McpError)) throw thrown;
    throw unprocessable(thrown.code, `The tool did not respond: ${thrown.message}.`);
  } finally {
    void connection[Symbol.asyncDispose]();
  }
}
