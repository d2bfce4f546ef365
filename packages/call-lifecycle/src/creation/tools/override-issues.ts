import type { BaseToolDefinition } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/foundation/schema/validator';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { builtInToolName, settingSchemaOf } from './built-in-tools.ts';
import { parametersOf } from './parameters.ts';

export interface OverriddenTool {
  toolId: string | null;
  definition: BaseToolDefinition;
}

type Overrides = Readonly<Record<string, unknown>>;

/** Checks the parameters that a selected tool fixes. `isTemplate`: texts can contain variables, so their values are not known yet. */
export async function overrideIssues(
  tool: OverriddenTool,
  overrides: Overrides,
  isTemplate: boolean,
  checks: UntrustedChecks,
): Promise<Issue[]> {
  const { definition } = tool;
  const names = new Set(parametersOf(definition).map(({ name }) => name));
  const required = definition.requirements?.requiredParameterOverrides ?? [];
  return [
    ...Object.keys(overrides)
      // The parameters of an MCP server's tools are known when it lists them.
      .filter((name) => !names.has(name) && !definition.mcp)
      .map((name) => ({ path: `parameterOverrides.${name}`, message: 'is not a parameter of the tool' })),
    ...required
      .filter((name) => !Object.hasOwn(overrides, name))
      .map((name) => ({ path: `parameterOverrides.${name}`, message: 'is required by the tool' })),
    ...(builtInToolName(tool.toolId) === 'warmTransfer' && !LIMITS_OF_TARGETS.some((name) => overrides[name])
      ? [OPEN_TARGET]
      : []),
    ...(builtInToolName(tool.toolId) === null
      ? []
      : await valueIssues(definition, overrides, isTemplate, checks)),
  ];
}

/** Overrides of `warmTransfer` that limit the targets. */
const LIMITS_OF_TARGETS = ['target', 'allowed_targets'] as const;

/** Callers could talk the model into calling any number. */
const OPEN_TARGET: Issue = {
  path: 'parameterOverrides.target',
  message: 'is required, unless allowed_targets lists the targets that the model may choose',
};

/** Only the parameters of built-in tools are checked against their schemas; customers' servers check their own. */
async function valueIssues(
  definition: BaseToolDefinition,
  overrides: Overrides,
  isTemplate: boolean,
  checks: UntrustedChecks,
): Promise<Issue[]> {
  const isOpen = (value: unknown): boolean => isTemplate && typeof value === 'string' && value.includes('{{');
  const given = Object.entries(overrides).filter(([, value]) => !isOpen(value));
  const issues = await Promise.all(
    given.map(async ([name, value]) => {
      const schema = schemaOf(definition, name);
      if (schema === undefined) return [];
      const [issues = []] = await checks.valueIssues(schema, [value]);
      return issues.map(({ message }) => ({ path: `parameterOverrides.${name}`, message }));
    }),
  );
  return issues.flat();
}

function schemaOf(
  { dynamicParameters = [], staticParameters = [] }: BaseToolDefinition,
  name: string,
): unknown {
  const fixed = staticParameters.find((parameter) => parameter.name === name);
  if (fixed) return settingSchemaOf(name, fixed.value);
  return dynamicParameters.find((parameter) => parameter.name === name)?.schema;
}
