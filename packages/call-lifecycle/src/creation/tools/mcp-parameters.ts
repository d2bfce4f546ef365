import type { DynamicParameter } from '@calls/api-contract/rest/tool-parameters';
import { inlineReferences, MAX_INLINED_NODES } from '@calls/foundation/schema/inline-references';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { isJsonObject } from '@calls/foundation/json-object';

type JsonMap = Readonly<Record<string, unknown>>;

/** The limits of parameters in tool definitions. */
const MAX_PARAMETERS = 100;
const MAX_NAME_CHARS = 256;

/**
 * Converts the schemas of servers to parameters: one list for each tool. A schema that this system cannot check is replaced
 * by its description; the server checks its arguments itself.
 */
export async function mcpParameters(
  inputSchemas: readonly JsonMap[],
  checks: Pick<UntrustedChecks, 'schemaIssues'>,
): Promise<DynamicParameter[][]> {
  const budget = { nodes: MAX_INLINED_NODES };
  const ofTools = inputSchemas.map((schema) => parametersOf(schema, budget));
  const schemas = ofTools.flat().map(({ schema }) => schema ?? {});
  const problems = await checks.schemaIssues(schemas);
  let index = 0;
  return ofTools.map((parameters) =>
    parameters.map((parameter) => {
      const problem = problems[index] ?? null;
      index += 1;
      return problem === null ? parameter : { ...parameter, schema: descriptionOf(parameter.schema) };
    }),
  );
}

/** The properties of an object schema as parameters. */
function parametersOf(inputSchema: JsonMap, budget: { nodes: number }): DynamicParameter[] {
  const { properties, required } = inputSchema;
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties)
    .filter(([name]) => name !== '' && name.length <= MAX_NAME_CHARS)
    .slice(0, MAX_PARAMETERS)
    .map(([name, given]) => ({
      name,
      location: 'PARAMETER_LOCATION_BODY' as const,
      schema: schemaOf(inputSchema, given, budget),
      required: Array.isArray(required) && required.includes(name),
    }));
}

function schemaOf(document: JsonMap, given: unknown, budget: { nodes: number }): Record<string, unknown> {
  try {
    return asMap(inlineReferences(document, given, (problem) => new UnusableSchema(problem), budget));
  } catch (thrown) {
    if (!(thrown instanceof UnusableSchema)) throw thrown;
    return descriptionOf(given);
  }
}

class UnusableSchema extends Error {}

function descriptionOf(schema: unknown): Record<string, unknown> {
  const { description } = asMap(schema);
  return typeof description === 'string' ? { description } : {};
}

/** Schemas may be `true`. */
function asMap(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}
