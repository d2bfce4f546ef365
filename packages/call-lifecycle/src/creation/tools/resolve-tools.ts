import type { BaseToolDefinition, CallToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
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
import { overrideIssues } from './override-issues.ts';
import { satisfySecurity, type ToolAuth } from './security.ts';
import { toCallDefinition } from './to-call-definition.ts';

/** A tool of a stage. */
export interface ResolvedTool {
  /** Null for temporary tools. */
  toolId: string | null;
  /** Name for the model; unique in the stage. */
  name: string;
  /** Contains no secrets. */
  definition: CallToolDefinition;
  auth: ToolAuth;
}

export interface ToolSelection {
  accountId: string;
  /** Valid by its schema. */
  selectedTools: readonly SelectedTool[];
  /** Path of the selection in the request: `selectedTools`. */
  path: string;
  urlRule: UrlRule;
  checks: UntrustedChecks;
  /** Texts can contain variables. */
  isTemplate?: boolean;
}

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
    corpusFaults(db, known, selection),
  ]);
  if (issues.length === 0) return resolution;
  return { tools: null, issues: [...resolution.issues, ...issues] };
}

/** The corpus of `queryCorpus` must exist. Template variables and malformed ids are checked elsewhere. */
async function corpusFaults(
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
  for (const [index, selected] of selection.selectedTools.entries()) {
    const path = `${selection.path}.${index}`;
    const resolved = await resolveOne(known, selected, path, selection);
    if ('issues' in resolved) {
      issues.push(...resolved.issues);
      continue;
    }
    const { tool } = resolved;
    if (taken.has(tool.name)) {
      const message = `gives the model two tools called ${tool.name}; set nameOverride`;
      issues.push({ path: `${path}.${namingField(selected)}`, message });
    }
    taken.add(tool.name);
    tools.push(tool);
  }
  return issues.length > 0 ? { tools: null, issues } : { tools, issues: [] };
}

type Found = { toolId: string | null; name: string | null; definition: BaseToolDefinition };

async function resolveOne(
  known: readonly ToolRow[],
  selected: SelectedTool,
  path: string,
  { urlRule, checks, isTemplate = false }: ToolSelection,
): Promise<{ tool: ResolvedTool } | { issues: Issue[] }> {
  const found = await find(known, selected, path, urlRule, checks);
  if ('issues' in found) return found;
  const { definition } = found;
  const name = selected.nameOverride ?? definition.modelToolName ?? found.name;
  if (name === null) {
    return { issues: [{ path: `${path}.temporaryTool.modelToolName`, message: 'is required' }] };
  }
  const security = satisfySecurity(definition, selected.authTokens ?? {});
  const issues = [
    ...(await overrideIssues(found, selected.parameterOverrides ?? {}, isTemplate, checks)),
    ...('issues' in security ? security.issues : []),
  ].map((issue) => ({ ...issue, path: `${path}.${issue.path}` }));
  if (issues.length > 0 || 'issues' in security) return { issues };
  const { auth } = security;
  const { descriptionOverride: description } = selected;
  const described = {
    ...definition,
    // Media workers of the previous release reject settings that they do not know: they get those that are set.
    ...(builtInToolName(found.toolId) !== null && {
      staticParameters: (definition.staticParameters ?? []).filter(
        ({ name: each, value }) => value !== null || Object.hasOwn(selected.parameterOverrides ?? {}, each),
      ),
    }),
    ...(description !== undefined && { description }),
  };
  const callDefinition = toCallDefinition(described, selected.parameterOverrides ?? {}, auth);
  return { tool: { toolId: found.toolId, name, definition: callDefinition, auth } };
}

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

function namingField({ nameOverride, toolId, toolName }: SelectedTool): string {
  if (nameOverride !== undefined) return 'nameOverride';
  if (toolId !== undefined) return 'toolId';
  return toolName === undefined ? 'temporaryTool.modelToolName' : 'toolName';
}

/** Issues of data-connection tools in a call without a data connection. */
export function dataConnectionIssues(tools: readonly ResolvedTool[], hasDataConnection: boolean): Issue[] {
  if (hasDataConnection) return [];
  const message = 'runs over a data connection, and the call has none';
  return tools.flatMap(({ definition }, index) =>
    definition.dataConnection ? [{ path: `selectedTools.${index}`, message }] : [],
  );
}
