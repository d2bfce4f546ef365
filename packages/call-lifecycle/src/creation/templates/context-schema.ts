import { isJsonObject } from '@calls/foundation/json-object';

type JsonObject = Record<string, unknown>;
type Path = readonly string[];

/** Children of a part of a path; empty for the last part. */
interface Tree {
  readonly under: Map<string, Tree>;
}

/**
 * The schema of a context with these variables: each is required and can be any JSON value; a variable with others below it
 * (`user` beside `user.name`) is an object.
 */
export function deriveContextSchema(variables: readonly Path[]): JsonObject {
  const root: Tree = { under: new Map() };
  for (const path of variables) {
    let at = root;
    for (const key of path) {
      const next: Tree = at.under.get(key) ?? { under: new Map() };
      at.under.set(key, next);
      at = next;
    }
  }
  return objectSchema(root);
}

function objectSchema({ under }: Tree): JsonObject {
  const properties = [...under].map(([key, tree]): [string, JsonObject] => [
    key,
    tree.under.size > 0 ? objectSchema(tree) : {},
  ]);
  return { type: 'object', properties: Object.fromEntries(properties), required: [...under.keys()] };
}

/** Keywords with which a schema can allow more than its `properties`. */
const OPENING_KEYWORDS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

/** Whether a context schema declares the variable. What it leaves open below the first level counts as declared. */
export function declaresVariable(schema: JsonObject, variable: Path): boolean {
  return declares(schema, variable, true);
}

function declares(schema: unknown, [key, ...rest]: Path, isRoot = false): boolean {
  if (key === undefined || schema === true) return true;
  if (!isJsonObject(schema)) return false;
  const { properties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) return declares(properties[key], rest);
  if (OPENING_KEYWORDS.some((keyword) => keyword in schema)) return true;
  if (additionalProperties !== undefined) return additionalProperties !== false;
  return !isRoot && properties === undefined;
}
