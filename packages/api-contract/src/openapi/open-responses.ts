import type { JsonSchema } from './component-schemas.ts';

type Schemas = Record<string, JsonSchema>;

const REFERENCE = /"#\/components\/schemas\/(\w+)"/gu;

/**
 * Allows unknown fields in everything that responses and `alsoSent` contain: later releases may add fields, and
 * generated clients that check what they receive must accept them. The server still rejects unknown fields of requests.
 */
export function openResponses(
  paths: Record<string, Record<string, JsonSchema>>,
  schemas: Schemas,
  alsoSent: readonly JsonSchema[],
): { paths: Record<string, Record<string, JsonSchema>>; schemas: Schemas } {
  const openedPaths = mapValues(paths, (operations) =>
    mapValues(operations, (operation) => ({ ...operation, responses: opened(operation['responses']) })),
  );
  const responses = Object.values(openedPaths).flatMap((operations) =>
    Object.values(operations).map((operation) => operation['responses']),
  );
  const reached = new Set(namesIn([responses, alsoSent]));
  // A set's iteration includes what is added on the way.
  for (const name of reached) for (const each of namesIn(schemas[name])) reached.add(each);
  return {
    paths: openedPaths,
    schemas: mapValues(schemas, (schema, name) =>
      reached.has(name) ? (opened(schema) as JsonSchema) : schema,
    ),
  };
}

function namesIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(REFERENCE)].map(([, name = '']) => name);
}

function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => key !== 'additionalProperties' || item !== false)
      .map(([key, item]) => [key, key === 'example' ? item : opened(item)]),
  );
}

function mapValues<A, B>(record: Record<string, A>, map: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
