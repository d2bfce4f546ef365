import type { BaseToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/foundation/schema/validator';
import type { McpServer } from '@calls/mcp-client/mcp-connection';
import { McpError } from '@calls/mcp-client/mcp-error';
import type { McpServerTool } from '@calls/store/schema/tool-tables';
import type { McpToolLists } from './mcp-tool-lists.ts';
import { PARAMETER_LISTS } from './parameters.ts';
import type { ResolvedTool } from './resolved-tool.ts';
import type { ToolAuth, ToolCredentials } from './security.ts';
import { toCallDefinition } from './to-call-definition.ts';

/** A selected tool that represents all tools of an MCP server. */
export interface SelectedMcpServer {
  toolId: string | null;
  /** Precedes the names of its tools. */
  name: string;
  definition: BaseToolDefinition & { mcp: object };
  auth: ToolAuth;
  selected: SelectedTool;
  /** Field of `selected` that identifies the server. */
  source: string;
  /** Field of `selected` that determines `name`. */
  naming: string;
}

/** Models choose worse with more tools. */
const MAX_TOOLS_OF_SERVER = 64;
const MAX_DESCRIPTION_CHARS = 16_384;
const MAX_NAME_CHARS = 64;
const MAX_LISTED_NAMES = 20;

/** The tools of an MCP server that a call gets. Paths of issues are fields of the selected tool. */
export async function toolsOfMcpServer(
  server: SelectedMcpServer,
  { accountId, lists }: { accountId: string; lists: McpToolLists },
): Promise<{ tools: ResolvedTool[] } | { issues: Issue[] }> {
  const { selected, naming } = server;
  const listed = await listTools(server, accountId, lists);
  if ('issues' in listed) return listed;
  const tools = allowedTools(listed.tools, selected.allowedTools);
  if ('issues' in tools) return tools;
  const known = new Set(tools.allowed.flatMap(({ parameters }) => parameters.map(({ name }) => name)));
  const issues = Object.keys(selected.parameterOverrides ?? {})
    .filter((name) => !known.has(name))
    .map((name) => ({
      path: `parameterOverrides.${name}`,
      message: 'is not a parameter of any tool of the MCP server',
    }));
  const resolved = tools.allowed.map((tool) => resolvedTool(server, tool));
  for (const { name } of resolved) {
    if (name.length <= MAX_NAME_CHARS) continue;
    const message = `makes the name ${name}, which is longer than ${MAX_NAME_CHARS} characters; set a shorter nameOverride`;
    issues.push({ path: naming, message });
  }
  return issues.length > 0 ? { issues } : { tools: resolved };
}

async function listTools(
  { definition, auth, source }: SelectedMcpServer,
  accountId: string,
  lists: McpToolLists,
): Promise<{ tools: readonly McpServerTool[] } | { issues: Issue[] }> {
  const problem = (message: string) => ({ issues: [{ path: source, message }] });
  const server = mcpServer(definition, auth, accountId);
  try {
    const tools = await lists.toolsOf(server);
    return tools.length === 0 ? problem('is an MCP server without tools') : { tools };
  } catch (thrown) {
    if (!(thrown instanceof McpError)) throw thrown;
    return problem(`is an MCP server that did not list its tools: ${thrown.message}`);
  }
}

/** The server with the credentials of a selected tool. */
export function mcpServer(
  { mcp }: BaseToolDefinition,
  { headers, queryParams, oauthClient }: ToolCredentials,
  accountId: string,
): McpServer {
  const url = new URL(mcp?.url ?? '');
  for (const [name, token] of Object.entries(queryParams)) url.searchParams.set(name, token);
  return { url: url.href, headers, accountId, ...(oauthClient && { oauthClient }) };
}

function allowedTools(
  listed: readonly McpServerTool[],
  names: readonly string[] | undefined,
): { allowed: readonly McpServerTool[] } | { issues: Issue[] } {
  if (names === undefined) {
    if (listed.length <= MAX_TOOLS_OF_SERVER) return { allowed: listed };
    const message = `is required: the MCP server has ${listed.length} tools, and a call can use ${MAX_TOOLS_OF_SERVER} of them`;
    return { issues: [{ path: 'allowedTools', message }] };
  }
  const byName = new Map(listed.map((tool) => [tool.name, tool]));
  const shown = listed.slice(0, MAX_LISTED_NAMES).map(({ name }) => name);
  const more = listed.length > shown.length ? ', …' : '';
  const issues = names.flatMap((name, index) =>
    byName.has(name)
      ? []
      : [
          {
            path: `allowedTools.${index}`,
            message: `must be a tool of the MCP server, which has ${shown.join(', ')}${more}`,
          },
        ],
  );
  if (issues.length > 0) return { issues };
  return { allowed: [...new Set(names)].flatMap((name) => byName.get(name) ?? []) };
}

function resolvedTool(
  { toolId, name, definition, auth, selected }: SelectedMcpServer,
  tool: McpServerTool,
): ResolvedTool {
  const { parameters } = tool;
  const { mcp, staticParameters = [], automaticParameters = [], precomputable } = definition;
  const taken = new Set(parameters.map((each) => each.name));
  const isTaken = (each: { name: string }): boolean => taken.has(each.name);
  const ofTool: BaseToolDefinition = {
    ...definition,
    description: [selected.descriptionOverride ?? definition.description, tool.description]
      .filter((text) => text !== undefined && text !== '')
      .join('\n\n')
      .slice(0, MAX_DESCRIPTION_CHARS),
    dynamicParameters: parameters.filter(
      (each) => ![...staticParameters, ...automaticParameters].some((fixed) => fixed.name === each.name),
    ),
    staticParameters: staticParameters.filter(isTaken),
    automaticParameters: automaticParameters.filter(isTaken),
    // A server may have tools of both kinds.
    precomputable: precomputable === true && tool.isReadOnly,
    mcp,
  };
  const names = new Set(PARAMETER_LISTS.flatMap((list) => ofTool[list] ?? []).map((each) => each.name));
  const overrides = Object.entries(selected.parameterOverrides ?? {}).filter(([each]) => names.has(each));
  const callDefinition = toCallDefinition(ofTool, Object.fromEntries(overrides), auth);
  return {
    toolId,
    name: `${name}_${tool.name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_')}`,
    definition: { ...callDefinition, mcp: { ...callDefinition.mcp, url: mcp.url, toolName: tool.name } },
    auth,
  };
}
