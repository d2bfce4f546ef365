import type { BaseToolDefinition, CallToolDefinition, SelectedTool } from '@calls/api-contract/rest/tool';
import { isUuid } from '@calls/api-contract/validation/is-uuid';
import type { Fault } from '@calls/api-contract/validation/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import type { Database } from '@calls/store/store';
import { knownCorpora } from '@calls/store/tables/corpora';
import { findToolsByIdOrName, type ToolRow } from '@calls/store/tables/tools';
import { builtInToolName } from './built-in-tools.ts';
import { completeDefinition } from './complete-definition.ts';
import { definitionFaults } from './definition-faults.ts';
import { overrideFaults } from './override-faults.ts';
import { satisfySecurity, type ToolAuth } from './security.ts';
import { toCallDefinition } from './to-call-definition.ts';
import type { UrlRule } from './url-rule.ts';

/** A tool as a stage of a call gets it. */
export interface ResolvedTool {
  /** Null for temporary tools. */
  toolId: string | null;
  /** What the model knows it by; unique in the stage. */
  name: string;
  /** No secret is in it. */
  definition: CallToolDefinition;
  auth: ToolAuth;
}

export interface ToolSelection {
  accountId: string;
  /** Fits its schema. */
  selectedTools: readonly SelectedTool[];
  /** Where the selection stands in the request: `selectedTools`. */
  path: string;
  urlRule: UrlRule;
  checks: UntrustedChecks;
  /** Its texts may have variables. */
  isTemplate?: boolean;
}

export type ToolResolution = { tools: ResolvedTool[]; faults: [] } | { tools: null; faults: Fault[] };

/** Turns a selection of tools into the tools of a stage, or tells all that is wrong with it. Asks the database once, or not at all. */
export async function resolveTools(db: Database, selection: ToolSelection): Promise<ToolResolution> {
  const { selectedTools, accountId } = selection;
  const ids = selectedTools.flatMap(({ toolId }) => toolId ?? []);
  const names = selectedTools.flatMap(({ toolName }) => toolName ?? []);
  const known =
    ids.length + names.length === 0 ? [] : await findToolsByIdOrName(db, accountId, { ids, names });
  const [resolution, faults] = await Promise.all([
    resolveAmong(known, selection),
    corpusFaults(db, known, selection),
  ]);
  if (faults.length === 0) return resolution;
  return { tools: null, faults: [...resolution.faults, ...faults] };
}

/** What `queryCorpus` is to look in must be there. Variables of templates and values of another form are for other rules. */
async function corpusFaults(
  db: Database,
  known: readonly ToolRow[],
  { selectedTools, accountId, path }: ToolSelection,
): Promise<Fault[]> {
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

/** `known` has every tool that the selection may name: the account's and the public ones. */
export async function resolveAmong(
  known: readonly ToolRow[],
  selection: ToolSelection,
): Promise<ToolResolution> {
  const tools: ResolvedTool[] = [];
  const faults: Fault[] = [];
  const taken = new Set<string>();
  for (const [index, selected] of selection.selectedTools.entries()) {
    const path = `${selection.path}.${index}`;
    const resolved = await resolveOne(known, selected, path, selection);
    if ('faults' in resolved) {
      faults.push(...resolved.faults);
      continue;
    }
    const { tool } = resolved;
    if (taken.has(tool.name)) {
      const message = `gives the model two tools called ${tool.name}; set nameOverride`;
      faults.push({ path: `${path}.${namingField(selected)}`, message });
    }
    taken.add(tool.name);
    tools.push(tool);
  }
  return faults.length > 0 ? { tools: null, faults } : { tools, faults: [] };
}

type Found = { toolId: string | null; name: string | null; definition: BaseToolDefinition };

async function resolveOne(
  known: readonly ToolRow[],
  selected: SelectedTool,
  path: string,
  { urlRule, checks, isTemplate = false }: ToolSelection,
): Promise<{ tool: ResolvedTool } | { faults: Fault[] }> {
  const found = await find(known, selected, path, urlRule, checks);
  if ('faults' in found) return found;
  const { definition } = found;
  const name = selected.nameOverride ?? definition.modelToolName ?? found.name;
  if (name === null) {
    return { faults: [{ path: `${path}.temporaryTool.modelToolName`, message: 'is required' }] };
  }
  const security = satisfySecurity(definition, selected.authTokens ?? {});
  const faults = [
    ...(await overrideFaults(found, selected.parameterOverrides ?? {}, isTemplate, checks)),
    ...('faults' in security ? security.faults : []),
  ].map((fault) => ({ ...fault, path: `${path}.${fault.path}` }));
  if (faults.length > 0 || 'faults' in security) return { faults };
  const { auth } = security;
  const { descriptionOverride: description } = selected;
  const described = { ...definition, ...(description !== undefined && { description }) };
  const callDefinition = toCallDefinition(described, selected.parameterOverrides ?? {}, auth);
  return { tool: { toolId: found.toolId, name, definition: callDefinition, auth } };
}

async function find(
  known: readonly ToolRow[],
  selected: SelectedTool,
  path: string,
  urlRule: UrlRule,
  checks: UntrustedChecks,
): Promise<Found | { faults: Fault[] }> {
  const { toolId, toolName, temporaryTool } = selected;
  if ([toolId, toolName, temporaryTool].filter((each) => each !== undefined).length !== 1) {
    return { faults: [{ path, message: 'must have exactly one of toolId, toolName, temporaryTool' }] };
  }
  if (temporaryTool) {
    const faults = await definitionFaults(temporaryTool, `${path}.temporaryTool`, urlRule, checks);
    if (faults.length > 0) return { faults };
    return { toolId: null, name: null, definition: completeDefinition(temporaryTool) };
  }
  const row = rowOf(known, selected);
  if (row) return { toolId: row.tool_id, name: row.name, definition: row.definition };
  return {
    faults: [
      toolId === undefined
        ? { path: `${path}.toolName`, message: 'must be the name of a tool of the account' }
        : { path: `${path}.toolId`, message: 'must be the id of a tool of the account' },
    ],
  };
}

/** The account's own tool shadows a public one of its name. Names are unique among each of them. */
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
