import type { BaseToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import { isUuid } from '@calls/foundation/schema/objects';
import type { Issue } from '@calls/foundation/schema/validator';
import type { Database } from '@calls/store/store';
import { knownCorpora } from '@calls/store/tables/corpora';
import { findToolsByIdOrName, type ToolRow } from '@calls/store/tables/tools';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { builtInToolName } from './built-in-tools.ts';
import { completeDefinition } from './complete-definition.ts';
import { definitionIssues } from './definition-issues.ts';
import type { UrlRule } from './http-issues.ts';
import type { McpToolLists } from './mcp-tool-lists.ts';
import { toolsOfMcpServer } from './mcp-tools.ts';
import { overrideIssues } from './override-issues.ts';
import type { ResolvedTool } from './resolved-tool.ts';
import { satisfySecurity } from './security.ts';
import { toCallDefinition } from './to-call-definition.ts';

export interface ToolSelection {
  accountId: string;
  /** Already validated against its schema. */
  selectedTools: readonly SelectedTool[];
  /** Path of the selection in the request: `selectedTools`. */
  path: string;
  urlRule: UrlRule;
  checks: UntrustedChecks;
  /** Null: a selected MCP server counts as one tool, and its tools are not listed. */
  mcpTools: McpToolLists | null;
  /** Whether tools can run over a data connection. */
  hasDataConnection: boolean;
  /** Texts can contain variables. */
  isTemplate?: boolean;
}

/** Maximum number of tools of a stage. Without MCP servers, `selectedTools` has a lower limit. */
const MAX_TOOLS = 128;

export type ToolResolution = { tools: ResolvedTool[]; issues: [] } | { tools: null; issues: Issue[] };

/** Resolves selected tools to the tools of a stage, or returns all issues. Makes at most one database query. */
export async function resolveTools(db: Database, selection: ToolSelection): Promise<ToolResolution> {
  const { selectedTools, accountId } = selection;
  const ids = selectedTools.flatMap(({ toolId }) => toolId ?? []);
  const names = selectedTools.flatMap(({ toolName }) => toolName ?? []);
  const known =
    ids.length + names.length === 0 ? [] : await findToolsByIdOrName(db, accountId, { ids, names });
  const [resolution, issues] = await Promise.all([
    resolveAmong(known, selection),
    corpusIssues(db, known, selection),
  ]);
  if (issues.length === 0) return resolution;
  return { tools: null, issues: [...resolution.issues, ...issues] };
}

/** The corpus of `queryCorpus` must exist. Template variables and malformed ids are checked elsewhere. */
async function corpusIssues(
  db: Database,
  known: readonly ToolRow[],
  { selectedTools, accountId, path }: ToolSelection,
): Promise<Issue[]> {
  const named = selectedTools.flatMap((selected, index) => {
    const corpusId = selected.parameterOverrides?.['corpus_id'];
    if (typeof corpusId !== 'string' || !isUuid(corpusId)) return [];
    const row = rowOf(known, selected);
    return row && builtInToolName(row.tool_id) === 'queryCorpus'
      ? [{ corpusId: corpusId.toLowerCase(), path: `${path}.${index}.parameterOverrides.corpus_id` }]
      : [];
  });
  if (named.length === 0) return [];
  const there = await knownCorpora(
    db,
    accountId,
    named.map(({ corpusId }) => corpusId),
  );
  return named
    .filter(({ corpusId }) => !there.has(corpusId))
    .map((each) => ({ path: each.path, message: 'must be the id of a corpus of the account' }));
}

/** `known`: all tools that can be selected, those of the account and the public ones. */
export async function resolveAmong(
  known: readonly ToolRow[],
  selection: ToolSelection,
): Promise<ToolResolution> {
  const tools: ResolvedTool[] = [];
  const issues: Issue[] = [];
  const taken = new Set<string>();
  const found: Resolved[] = [];
  for (const [index, selected] of selection.selectedTools.entries()) {
    found.push(await resolveOne(known, selected, `${selection.path}.${index}`, selection));
  }
  // Servers list their tools at the same time.
  const all = await Promise.all(found.map(async (each) => ('list' in each ? each.list() : each)));
  for (const [index, resolved] of all.entries()) {
    const selected = selection.selectedTools[index] ?? {};
    if ('issues' in resolved) {
      issues.push(...resolved.issues);
      continue;
    }
    for (const tool of resolved.tools) {
      if (taken.has(tool.name)) {
        const message = `gives the model two tools called ${tool.name}; set nameOverride`;
        issues.push({ path: `${selection.path}.${index}.${namingField(selected)}`, message });
      }
      taken.add(tool.name);
      tools.push(tool);
    }
  }
  if (issues.length === 0) issues.push(...undoIssues(all, selection));
  if (tools.length > MAX_TOOLS) {
    const message = `gives the model ${tools.length} tools, which is more than ${MAX_TOOLS}; set allowedTools`;
    issues.push({ path: selection.path, message });
  }
  return issues.length > 0 ? { tools: null, issues } : { tools, issues: [] };
}

type Listed = { tools: ResolvedTool[] } | { issues: Issue[] };
/** `list` lists the tools of an MCP server. */
type Resolved = Listed | { list: () => Promise<Listed> };
type Found = { toolId: string | null; name: string | null; definition: BaseToolDefinition };

async function resolveOne(
  known: readonly ToolRow[],
  selected: SelectedTool,
  path: string,
  { accountId, urlRule, checks, mcpTools, hasDataConnection, isTemplate = false }: ToolSelection,
): Promise<Resolved> {
  const found = await find(known, selected, path, urlRule, checks);
  if ('issues' in found) return found;
  const { definition } = found;
  const name = selected.nameOverride ?? definition.modelToolName ?? found.name;
  if (name === null) {
    return { issues: [{ path: `${path}.temporaryTool.modelToolName`, message: 'is required' }] };
  }
  const security = satisfySecurity(definition, selected.authTokens ?? {});
  const at = (issue: Issue): Issue => ({ ...issue, path: `${path}.${issue.path}` });
  const issues = [
    ...(selected.allowedTools && !definition.mcp ? [NOT_MCP] : []),
    ...(await overrideIssues(found, selected.parameterOverrides ?? {}, isTemplate, checks)),
    ...('issues' in security ? security.issues : []),
  ].map(at);
  if (issues.length > 0 || 'issues' in security) return { issues };
  if (definition.dataConnection && !hasDataConnection) {
    return { issues: [{ path, message: 'runs over a data connection, and the call has none' }] };
  }
  const { auth } = security;
  const { toolId } = found;
  const { mcp } = definition;
  if (mcp && mcpTools) {
    const fields = { source: sourceField(selected), naming: namingField(selected) };
    const server = { toolId, name, definition: { ...definition, mcp }, auth, selected, ...fields };
    const list = async (): Promise<Listed> => {
      const listed = await toolsOfMcpServer(server, { accountId, lists: mcpTools });
      return 'issues' in listed ? { issues: listed.issues.map(at) } : listed;
    };
    return { list };
  }
  const { descriptionOverride: description } = selected;
  const described = {
    ...definition,
    // Media-workers of the previous release reject unknown settings, so only those that are set are sent.
    ...(builtInToolName(found.toolId) !== null && {
      staticParameters: (definition.staticParameters ?? []).filter(
        ({ name: each, value }) => value !== null || Object.hasOwn(selected.parameterOverrides ?? {}, each),
      ),
    }),
    ...(description !== undefined && { description }),
  };
  const callDefinition = toCallDefinition(described, selected.parameterOverrides ?? {}, auth);
  return { tools: [{ toolId, name, definition: callDefinition, auth }] };
}

/** The tool that undoes another must be in the same stage. */
function undoIssues(all: readonly Listed[], { selectedTools, path }: ToolSelection): Issue[] {
  const listed = all.map((each) => ('tools' in each ? each.tools : []));
  const isThere = (wanted: string): boolean =>
    listed
      .flat()
      // The tool may belong to a server whose tools are not listed.
      .some(
        ({ name, definition: { mcp } }) =>
          name === wanted || (mcp && !mcp.toolName && wanted.startsWith(`${name}_`)),
      );
  return listed.flatMap((tools, index) =>
    tools.flatMap(({ name, definition: { undoTool } }) => {
      if (undoTool === undefined || (undoTool !== name && isThere(undoTool))) return [];
      const message =
        undoTool === name
          ? 'must not be the tool itself'
          : `needs the tool ${undoTool}, which undoes its calls; select it, too`;
      return [{ path: `${path}.${index}.${undoField(selectedTools[index] ?? {})}`, message }];
    }),
  );
}

function undoField(selected: SelectedTool): string {
  return selected.temporaryTool ? 'temporaryTool.undoTool' : sourceField(selected);
}

const NOT_MCP: Issue = { path: 'allowedTools', message: 'is for mcp tools only' };

async function find(
  known: readonly ToolRow[],
  selected: SelectedTool,
  path: string,
  urlRule: UrlRule,
  checks: UntrustedChecks,
): Promise<Found | { issues: Issue[] }> {
  const { toolId, toolName, temporaryTool } = selected;
  if ([toolId, toolName, temporaryTool].filter((each) => each !== undefined).length !== 1) {
    return { issues: [{ path, message: 'must have exactly one of toolId, toolName, temporaryTool' }] };
  }
  if (temporaryTool) {
    const issues = await definitionIssues(temporaryTool, `${path}.temporaryTool`, urlRule, checks);
    if (issues.length > 0) return { issues };
    return { toolId: null, name: null, definition: completeDefinition(temporaryTool) };
  }
  const row = rowOf(known, selected);
  if (row) return { toolId: row.tool_id, name: row.name, definition: row.definition };
  return {
    issues: [
      toolId === undefined
        ? { path: `${path}.toolName`, message: 'must be the name of a tool of the account' }
        : { path: `${path}.toolId`, message: 'must be the id of a tool of the account' },
    ],
  };
}

/** A tool of the account shadows a public tool of the same name. Names are unique within each group. */
function rowOf(known: readonly ToolRow[], { toolId, toolName }: SelectedTool): ToolRow | undefined {
  if (toolId !== undefined) return known.find((each) => each.tool_id === toolId.toLowerCase());
  const named = known.filter((each) => each.name === toolName);
  return named.find((each) => each.account_id !== null) ?? named[0];
}

function namingField(selected: SelectedTool): string {
  if (selected.nameOverride !== undefined) return 'nameOverride';
  return selected.temporaryTool ? 'temporaryTool.modelToolName' : sourceField(selected);
}

function sourceField({ toolId, temporaryTool }: SelectedTool): string {
  if (toolId !== undefined) return 'toolId';
  return temporaryTool ? 'temporaryTool.mcp.url' : 'toolName';
}
