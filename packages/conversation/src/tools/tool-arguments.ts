import type { CallToolDefinition } from '@calls/api-contract/rest/tool';
import type { Issue } from '@calls/foundation/schema/validator';

/** Parameter values by name. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Validates values against a customer's JSON Schema; returns the issues of each value. */
export interface ArgumentChecks {
  valueIssues(schema: unknown, values: readonly unknown[]): Promise<Issue[][]>;
}

type DynamicParameters = CallToolDefinition['dynamicParameters'];

/**
 * Validates the arguments that the model chose, each by its schema. Issue paths start with the parameter name.
 */
export async function argumentIssues(
  checks: ArgumentChecks,
  parameters: DynamicParameters,
  values: ToolArguments,
): Promise<Issue[]> {
  const known = parameters ?? [];
  const issues: Issue[] = [];
  for (const name of Object.keys(values)) {
    if (!known.some((parameter) => parameter.name === name)) {
      issues.push({ path: name, message: 'is not a parameter of the tool' });
    }
  }
  for (const { name, required } of known) {
    if (required === true && !Object.hasOwn(values, name))
      issues.push({ path: name, message: 'is required' });
  }
  const given = known.filter(({ name, schema }) => schema !== undefined && Object.hasOwn(values, name));
  const ofValues = await Promise.all(
    given.map(async ({ name, schema }) => {
      const [found = []] = await checks.valueIssues(schema, [values[name]]);
      return found.map(({ path, message }) => ({ path: path === '' ? name : `${name}.${path}`, message }));
    }),
  );
  return [...issues, ...ofValues.flat()];
}
