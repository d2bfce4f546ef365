import { durationToMs } from '@calls/api-contract/duration';
import type { BaseToolDefinition, CallToolDefinition } from '@calls/api-contract/rest/tool';
import { satisfySecurity } from '@calls/call-lifecycle/creation/tools/security';
import { toCallDefinition } from '@calls/call-lifecycle/creation/tools/to-call-definition';
import {
  MAX_TOOL_REDIRECTS,
  toolHttpRequest,
  ToolArgumentError,
  type ToolHttpRequest,
} from '@calls/conversation/tools/http-request';
import { argumentIssues, type ArgumentChecks } from '@calls/conversation/tools/tool-arguments';
import type { Clock } from '@calls/foundation/clock';
import type { Issue } from '@calls/foundation/schema/validator';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { invalidRequest } from '../problems/problem.ts';
import { testMcpTool } from './test-mcp-tool.ts';
import { unprocessable, type ToolResponse, type ToolTest } from './tool-test.ts';

const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Sends the tool's request once. Throws a problem if it cannot be built or gets no response. */
export async function testTool(
  definition: BaseToolDefinition,
  test: ToolTest,
  deps: { accountId: string; outbound: OutboundHttp; checks: ArgumentChecks; clock: Clock },
): Promise<ToolResponse> {
  if (!definition.http && !definition.mcp) {
    throw unprocessable('not_an_http_tool', 'Only HTTP and MCP tools can be tested outside a call.');
  }
  const { parameters = {}, authTokens = {} } = test;
  const { outbound, checks } = deps;
  const security = satisfySecurity(definition, authTokens);
  if ('issues' in security) throw invalidRequest('request body', security.issues);
  const { auth } = security;
  if (auth.callTokenScopes) {
    throw unprocessable(
      'call_token_required',
      'The tool requires a call token, which exists only during a call.',
    );
  }
  if (definition.mcp) return testMcpTool(definition, test, auth, deps);
  const tested = toCallDefinition(definition, {}, auth);
  const issues = await parameterIssues(tested, parameters, checks);
  if (issues.length > 0) throw invalidRequest('request body', issues);
  const request = requestOf(tested, parameters, auth);
  try {
    const { status, headers, ...response } = await outbound.request({
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      timeoutMs: durationToMs(tested.timeout),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      maxRedirects: MAX_TOOL_REDIRECTS,
    });
    return { status, contentType: headers['content-type'], body: await response.bytes() };
  } catch (thrown) {
    if (!(thrown instanceof OutboundError)) throw thrown;
    throw unprocessable(thrown.code, `The tool did not respond: ${thrown.message}.`);
  }
}

async function parameterIssues(
  definition: CallToolDefinition,
  parameters: Readonly<Record<string, unknown>>,
  checks: ArgumentChecks,
): Promise<Issue[]> {
  const { dynamicParameters = [], automaticParameters = [] } = definition;
  const automatic = automaticParameters.map(({ name }) => ({ name }));
  const issues = await argumentIssues(checks, [...dynamicParameters, ...automatic], parameters);
  return issues.map(({ path, message }) => ({ path: `parameters.${path}`, message }));
}

function requestOf(...of: Parameters<typeof toolHttpRequest>): ToolHttpRequest {
  try {
    return toolHttpRequest(...of);
  } catch (thrown) {
    if (!(thrown instanceof ToolArgumentError)) throw thrown;
    const { path, message } = thrown.issue;
    throw invalidRequest('request body', [{ path: `parameters.${path}`, message }]);
  }
}
