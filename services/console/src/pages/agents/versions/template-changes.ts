/** A difference between two templates. */
export interface TemplateChange {
  /** Field names; list items by name or by number from 1: `selectedTools`, `showCard`, `timeout`. */
  readonly path: readonly string[];
  readonly kind: 'added' | 'removed' | 'changed';
  /** Undefined if it was added. */
  readonly before: unknown;
  /** Undefined if it was removed. */
  readonly after: unknown;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Changes by field; the template's fields in alphabetical order. */
export function templateChanges(before: JsonObject, after: JsonObject): readonly TemplateChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => changesOf(before[name], after[name], [name]));
}

function changesOf(before: unknown, after: unknown, path: readonly string[]): TemplateChange[] {
  if (isSame(before, after)) return [];
  if (before === undefined) return [{ path, kind: 'added', before, after }];
  if (after === undefined) return [{ path, kind: 'removed', before, after }];
  const parts = partsOf(before, after);
  if (!parts) return [{ path, kind: 'changed', before, after }];
  const names = [...new Set([...parts.after.keys(), ...parts.before.keys()])];
  const changes = names.flatMap((name) =>
    changesOf(parts.before.get(name), parts.after.get(name), [...path, name]),
  );
  // No item differs, so only their order changed.
  return changes.length > 0
    ? changes
    : [{ path, kind: 'changed', before: [...parts.before.keys()], after: [...parts.after.keys()] }];
}

type Parts = ReadonlyMap<string, unknown>;

/** The members of both values by name; null if they must be compared as a whole. */
function partsOf(before: unknown, after: unknown): { before: Parts; after: Parts } | null {
  if (isObject(before) && isObject(after)) {
    return { before: new Map(Object.entries(before)), after: new Map(Object.entries(after)) };
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return null;
  if (!before.every(isObject) || !after.every(isObject)) return null;
  return byName(before, after) ?? { before: numbered(before), after: numbered(after) };
}

/** Items of a list by their names, such as tools; null if items have no names or names repeat. */
function byName(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): { before: Parts; after: Parts } | null {
  const named = [before, after].map((list) => new Map(list.map((item) => [nameOf(item), item])));
  const [first = new Map(), second = new Map()] = named;
  const isNamed = !first.has(null) && !second.has(null);
  return isNamed && first.size === before.length && second.size === after.length
    ? { before: first as Parts, after: second as Parts }
    : null;
}

function nameOf(item: JsonObject): string | null {
  const { nameOverride, toolName, toolId, temporaryTool, name } = item;
  const inner = isObject(temporaryTool) ? temporaryTool['modelToolName'] : undefined;
  return [nameOverride, inner, toolName, toolId, name].find((each) => typeof each === 'string') ?? null;
}

function numbered(list: readonly unknown[]): Parts {
  return new Map(list.map((item, index) => [String(index + 1), item]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares JSON values, ignoring the order of fields. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isSame(a[name], b[name]));
}

/** A field name as words: `systemPrompt` → `System prompt`. */
export function inWords(name: string): string {
  const spaced = name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, ' ').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
