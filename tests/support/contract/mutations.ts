import { isJsonObject } from '@calls/foundation/json-object';
import { isNullable, isUnion, withoutNull, type SchemaNode } from './json-schema.ts';

/** A body with one schema violation. */
export interface Mutation {
  /** Dotted path of the invalid field. */
  path: string;
  what: string;
  body: unknown;
}

type Replace = (value: unknown) => unknown;

/** Returns all supported single schema violations of a valid body. */
export function mutationsOf(schema: SchemaNode, valid: unknown): Mutation[] {
  const found: Mutation[] = [];
  walk(schema, valid, '', (changed) => changed, false);
  return found;

  function walk(
    given: SchemaNode,
    value: unknown,
    path: string,
    replace: Replace,
    isOptional: boolean,
  ): void {
    if (given.readOnly) return;
    const node = withoutNull(given);
    const add = (what: string, changed: unknown, at = path): void => {
      found.push({ path: at, what, body: replace(changed) });
    };
    for (const [what, wrong] of wrongTypes(node, isOptional || isNullable(given))) add(what, wrong);
    for (const [what, wrong] of outOfBounds(node)) add(what, wrong);
    if (isJsonObject(value) && (node.type === 'object' || node.properties))
      walkObject(node, value, path, replace, add);
    if (Array.isArray(value) && node.items) {
      if (node.maxItems !== undefined && node.maxItems < 200) {
        add(
          'too many items',
          Array.from({ length: node.maxItems + 1 }, () => value[0] as unknown),
        );
      }
      if ((node.minItems ?? 0) > 0) add('too few items', []);
      const [first, ...rest] = value as unknown[];
      if (value.length > 0) {
        walk(node.items, first, join(path, '0'), (changed) => replace([changed, ...rest]), false);
      }
    }
  }

  function walkObject(
    node: SchemaNode,
    value: Record<string, unknown>,
    path: string,
    replace: Replace,
    add: (what: string, changed: unknown, at?: string) => void,
  ): void {
    if (node.additionalProperties === false) {
      add('unknown field', { ...value, noSuchField: 1 }, join(path, 'noSuchField'));
    }
    for (const name of node.required ?? []) {
      add('missing field', omit(value, name), join(path, name));
    }
    if (isUnion(node)) {
      const names = Object.keys(node.properties ?? {});
      const both = Object.fromEntries(names.slice(0, 2).map((name) => [name, value[name] ?? {}]));
      if (names.length > 1) add('several union keys', both);
      if ((node.minProperties ?? 0) > 0) add('no union key', {});
    }
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      if (!(name in value)) continue;
      const isOptional = !(node.required ?? []).includes(name);
      const put: Replace = (changed) => replace({ ...value, [name]: changed });
      walk(property, value[name], join(path, name), put, isOptional);
    }
    const [record] = Object.values(node.patternProperties ?? {});
    const [key] = Object.keys(value);
    if (record && key !== undefined) {
      walk(record, value[key], join(path, key), (changed) => replace({ ...value, [key]: changed }), false);
    }
  }
}

/** `takesNull`: whether null is valid for the field. */
function wrongTypes(node: SchemaNode, takesNull: boolean): [string, unknown][] {
  const nulls: [string, unknown][] = takesNull ? [] : [['null', null]];
  if (node.enum) return [['not in the enumeration', 'NO_SUCH_VALUE'], ...nulls];
  switch (node.type) {
    case 'string':
      return [['a number for a string', 5], ['an object for a string', {}], ...nulls];
    case 'integer':
      return [['text for a number', '5'], ['a fraction for an integer', 1.5], ...nulls];
    case 'number':
      return [['text for a number', '0.5'], ...nulls];
    case 'boolean':
      return [['text for a boolean', 'true'], ...nulls];
    case 'array':
      return [['an object for an array', {}], ['text for an array', 'x'], ...nulls];
    case 'object':
      return [['an array for an object', []], ['text for an object', 'x'], ...nulls];
    default:
      return [];
  }
}

function outOfBounds(node: SchemaNode): [string, unknown][] {
  const bad: [string, unknown][] = [];
  if (node.minimum !== undefined) bad.push(['below the minimum', node.minimum - 1]);
  if (node.maximum !== undefined) bad.push(['above the maximum', node.maximum + 1]);
  if ((node.minLength ?? 0) > 0) bad.push(['too short', '']);
  if (node.maxLength !== undefined && node.maxLength < 10_000)
    bad.push(['too long', 'x'.repeat(node.maxLength + 1)]);
  if (node.pattern !== undefined) bad.push(['off the pattern', ' \u{1F642} ']);
  if (node.format !== undefined) bad.push(['off the format', ' \u{1F642} ']);
  return bad;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function omit(value: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
