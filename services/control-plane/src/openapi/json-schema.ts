import { isJsonObject } from '@calls/foundation/json-object';
import type { JsonMap } from './document.ts';

/** Keywords whose values are maps of schemas, lists of schemas, and schemas. */
const MAPS = ['properties', 'patternProperties'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE = ['items', 'additionalProperties', 'not'];
/** Keywords that are not JSON Schema or that models do not need. */
const DROPPED = /^(?:x-.*|example|xml|externalDocs|discriminator|nullable)$/u;

/** Converts a schema of OpenAPI 3.0 or 3.1 with inlined references to JSON Schema draft 2020-12. */
export function toJsonSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const converted: JsonMap = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.test(key)) continue;
    if (MAPS.includes(key) && isJsonObject(value)) {
      converted[key] = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, toJsonSchema(each)]),
      );
    } else if (LISTS.includes(key) && Array.isArray(value)) converted[key] = value.map(toJsonSchema);
    else converted[key] = SINGLE.includes(key) ? toJsonSchema(value) : value;
  }
  const bounded = withBound(
    withBound(converted, 'exclusiveMinimum', 'minimum'),
    'exclusiveMaximum',
    'maximum',
  );
  return schema['nullable'] === true ? nullable(bounded) : bounded;
}

/** In OpenAPI 3.0 an exclusive bound is a boolean beside the bound. */
function withBound(schema: JsonMap, exclusive: string, inclusive: string): JsonMap {
  const { [exclusive]: flag, [inclusive]: bound, ...rest } = schema;
  if (typeof flag !== 'boolean') return schema;
  return { ...rest, ...(bound !== undefined && { [flag ? exclusive : inclusive]: bound }) };
}

function nullable(schema: JsonMap): JsonMap {
  const { type, enum: values } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...(values as unknown[]), null] }),
  };
}

/**
 * Properties of an object schema, including those of its `allOf`. Null if the schema is not an object with properties.
 */
export function propertiesOf(schema: unknown): { properties: JsonMap; required: Set<string> } | null {
  if (!isJsonObject(schema)) return null;
  const parts = [schema, ...(Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : [])].filter(
    isJsonObject,
  );
  const own = parts.filter((part) => isJsonObject(part['properties']));
  if (own.length === 0) return null;
  const required = parts.flatMap((part) =>
    Array.isArray(part['required']) ? (part['required'] as unknown[]) : [],
  );
  return {
    properties: Object.fromEntries(own.flatMap((part) => Object.entries(part['properties'] as JsonMap))),
    required: new Set(required.filter((name) => typeof name === 'string')),
  };
}
