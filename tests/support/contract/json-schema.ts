import type { TSchema } from 'typebox';

/** The subset of JSON Schema that the API uses. */
export interface SchemaNode {
  type?: string;
  properties?: Record<string, SchemaNode>;
  patternProperties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  readOnly?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
}

export function nodeOf(schema: TSchema): SchemaNode {
  return schema;
}

/** Returns the schema without the alternative null. */
export function withoutNull(node: SchemaNode): SchemaNode {
  const others = node.anyOf?.filter((option) => option.type !== 'null');
  return others?.length === 1 && others[0] ? others[0] : node;
}

export function isNullable(node: SchemaNode): boolean {
  return node.anyOf?.some((option) => option.type === 'null') ?? false;
}

/** Whether the schema is an object of which at most one field may be set. */
export function isUnion(node: SchemaNode): boolean {
  return node.maxProperties === 1 && node.properties !== undefined;
}
