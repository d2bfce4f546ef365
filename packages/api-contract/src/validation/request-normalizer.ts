import { MAX_ISSUES, type Issue } from '@calls/foundation/schema/validator';
import type { TSchema } from 'typebox';

/** A request body in the form of its schema. */
export interface NormalizedRequest {
  value: unknown;
  /** Issues of fields that were given in both spellings. */
  issues: Issue[];
}
export type RequestNormalizer = (given: unknown) => NormalizedRequest;

/**
 * Prepares a request body for validation: converts snake_case names to the schema's lowerCamelCase, drops null for
 * optional fields that do not allow it, and drops read-only fields. Keys of free-form maps and values of any type are
 * unchanged. Compiles at first use. Takes linear time and does not change its input.
 */
export function requestNormalizer(schema: TSchema): RequestNormalizer {
  let convert: Convert | null | undefined;
  return (given) => {
    if (convert === undefined) convert = convertOf([schema]);
    const issues: Issue[] = [];
    return { value: convert ? convert(given, { path: [], issues }) : given, issues };
  };
}

interface Place {
  readonly path: string[];
  readonly issues: Issue[];
}
type Convert = (value: unknown, place: Place) => unknown;

interface Field {
  name: string;
  isReadOnly: boolean;
  /** Null counts as unset. */
  dropsNull: boolean;
  convert: Convert | null;
}

/** The keywords of JSON Schema that determine the form of a value. */
interface Node {
  type?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Node[];
  oneOf?: readonly Node[];
  allOf?: readonly Node[];
  properties?: Readonly<Record<string, Node>>;
  patternProperties?: Readonly<Record<string, Node>>;
  items?: Node;
  required?: readonly string[];
  readOnly?: boolean;
  $ref?: string;
}

const known = new WeakMap<Node, Convert | null>();

/** For a value that matches one of the schemas; null if such a value needs no conversion. */
function convertOf(nodes: readonly Node[]): Convert | null {
  const [only] = nodes;
  if (!only) return null;
  if (nodes.length > 1) return compile(nodes);
  let convert = known.get(only);
  if (convert === undefined) {
    convert = compile(nodes);
    known.set(only, convert);
  }
  return convert;
}

function compile(nodes: readonly Node[]): Convert | null {
  const branches = nodes.flatMap(branchesOf);
  const items = convertOf(branches.flatMap((branch) => branch.items ?? []));
  const entries = convertOf(branches.flatMap((branch) => Object.values(branch.patternProperties ?? {})));
  const fields = fieldsOf(branches);
  if (!items && !entries && fields.size === 0) return null;
  return (value, place) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return items ? convertItems(value, items, place) : value;
    return convertObject(value as Record<string, unknown>, { fields, entries }, place);
  };
}

function convertItems(values: readonly unknown[], convert: Convert, place: Place): readonly unknown[] {
  const converted = values.map((value, index) => at(String(index), value, convert, place));
  return converted.some((value, index) => value !== values[index]) ? converted : values;
}

function convertObject(
  value: Record<string, unknown>,
  { fields, entries }: { fields: ReadonlyMap<string, Field>; entries: Convert | null },
  place: Place,
): unknown {
  const converted: [string, unknown][] = [];
  let changed = false;
  for (const key of Object.keys(value)) {
    const before = value[key];
    const field = fields.get(key);
    if (!field) {
      const after = at(key, before, entries, place);
      changed ||= after !== before;
      converted.push([key, after]);
      continue;
    }
    const { name } = field;
    if (key !== name && Object.hasOwn(value, name)) addDouble(key, name, place);
    if (field.isReadOnly || (before === null && field.dropsNull)) {
      changed = true;
      continue;
    }
    const after = at(name, before, field.convert, place);
    changed ||= key !== name || after !== before;
    converted.push([name, after]);
  }
  return changed ? Object.fromEntries(converted) : value;
}

function at(key: string, value: unknown, convert: Convert | null, place: Place): unknown {
  if (!convert) return value;
  place.path.push(key);
  const converted = convert(value, place);
  place.path.pop();
  return converted;
}

function addDouble(spelling: string, name: string, { path, issues }: Place): void {
  if (issues.length === MAX_ISSUES) return;
  issues.push({ path: [...path, name].join('.'), message: `is given twice: as ${name} and as ${spelling}` });
}

/** Fields by each spelling of their names. */
function fieldsOf(branches: readonly Node[]): Map<string, Field> {
  const fields = new Map<string, Field>();
  const names = new Set(branches.flatMap(({ properties }) => Object.keys(properties ?? {})));
  for (const name of names) {
    const holders = branches.filter(({ properties }) => properties && Object.hasOwn(properties, name));
    const schemas = holders.flatMap(({ properties }) => properties?.[name] ?? []);
    const field: Field = {
      name,
      isReadOnly: schemas.every(({ readOnly }) => readOnly === true),
      dropsNull: holders.every(({ required }) => !required?.includes(name)) && !schemas.some(admitsNull),
      convert: convertOf(schemas),
    };
    fields.set(name, field);
    fields.set(snakeCase(name), field);
  }
  return fields;
}

/** The alternative or combined subschemas of a schema; the schema itself if it has none. */
function branchesOf(node: Node): Node[] {
  if (node.$ref !== undefined) throw new Error(`schemas of requests may not have references: ${node.$ref}`);
  const parts = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return parts.length === 0 ? [node] : [node, ...parts.flatMap(branchesOf)];
}

function admitsNull(node: Node): boolean {
  const parts = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  if (parts.length > 0) return parts.some(admitsNull);
  if (node.enum) return node.enum.includes(null);
  if ('const' in node) return node.const === null;
  if (Array.isArray(node.type)) return node.type.includes('null');
  return node.type === undefined || node.type === 'null';
}

/** `dataMessages` → `data_messages`, the protobuf spelling. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}
