import { snakeCase } from '@calls/api-contract/validation/request-normalizer';
import { isNullable, withoutNull, type SchemaNode } from './json-schema.ts';

type Fields = Record<string, unknown>;

/** Returns the body with null for every optional field that is not set, at every depth. */
export function withNulls(schema: SchemaNode, body: unknown): unknown {
  return mapObjects(schema, body, (fields, { properties = {}, required = [] }) => ({
    ...Object.fromEntries(
      Object.entries(properties)
        .filter(([name, property]) => !required.includes(name) && !isNullable(property))
        .map(([name]) => [name, null]),
    ),
    ...fields,
  }));
}

/** Returns the body with all field names in snake_case. */
export function inSnakeCase(schema: SchemaNode, body: unknown): unknown {
  return mapObjects(schema, body, (fields, { properties = {} }) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        Object.hasOwn(properties, name) ? snakeCase(name) : name,
        value,
      ]),
    ),
  );
}

function mapObjects(
  given: SchemaNode,
  value: unknown,
  change: (fields: Fields, node: SchemaNode) => Fields,
): unknown {
  const node = withoutNull(given);
  if (Array.isArray(value)) return value.map((item) => mapObjects(node.items ?? {}, item, change));
  if (typeof value !== 'object' || value === null) return value;
  const [record = {}] = Object.values(node.patternProperties ?? {});
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    mapObjects(node.properties?.[name] ?? record, field, change),
  ]);
  return change(Object.fromEntries(fields) as Fields, node);
}
