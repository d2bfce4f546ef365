import { isJsonObject } from '@calls/foundation/json-object';
import type { TSchema } from 'typebox';

/** The places of a mark in a schema: mirrors the schema, without the parts that have no mark. */
export interface MarkedPlaces {
  /** Value of the mark at this place; null if marks are only further below. */
  readonly mark: unknown;
  readonly fields: ReadonlyMap<string, MarkedPlaces>;
  /** Marks of the items of a list, and of fields that are not in `fields`. */
  readonly each: MarkedPlaces | null;
}

export type Fields = Readonly<Record<string, unknown>>;

const compiled = new Map<string, WeakMap<object, { places: MarkedPlaces | null }>>();

/** Null if the schema has no such mark. `keyword` is the name of the mark in schemas. */
export function markedPlaces(schema: unknown, keyword: string): MarkedPlaces | null {
  if (!isJsonObject(schema)) return null;
  let ofKeyword = compiled.get(keyword);
  if (!ofKeyword) compiled.set(keyword, (ofKeyword = new WeakMap()));
  let entry = ofKeyword.get(schema);
  if (!entry) ofKeyword.set(schema, (entry = { places: compile(schema, keyword) }));
  return entry.places;
}

/**
 * The value with each text at or below a mark of the schema replaced by the result of `map`. What does not change is not
 * copied. `path` is dotted. Accepts values that do not match the schema.
 */
export function mapMarked<T>(
  schema: TSchema,
  keyword: string,
  value: T,
  map: (text: string, path: string, mark: unknown) => string,
): T {
  const mapTexts = (at: unknown, path: string, mark: unknown): unknown =>
    typeof at === 'string'
      ? map(at, path, mark)
      : mapItems(at, (key, item) => mapTexts(item, below(path, key), mark));
  const visit = (places: MarkedPlaces, at: unknown, path: string): unknown => {
    if (places.mark !== null) return mapTexts(at, path, places.mark);
    return mapItems(at, (key, item) => {
      const inner = placesAt(places, key);
      return inner ? visit(inner, item, below(path, key)) : item;
    });
  };
  const places = markedPlaces(schema, keyword);
  return places ? (visit(places, value, '') as T) : value;
}

export function placesAt(places: MarkedPlaces, key: string): MarkedPlaces | null {
  return places.fields.get(key) ?? places.each;
}

/** Returned by the `change` function of `mapItems` to omit an item. */
export const OMITTED = Symbol('omitted');

/**
 * The value with the items of its list or object changed: a copy, or the value itself if no item changes. Other values are
 * returned unchanged.
 */
export function mapItems(value: unknown, change: (key: string, item: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => change(String(index), item));
    return items.every((item, index) => item === value[index])
      ? value
      : items.filter((item) => item !== OMITTED);
  }
  if (!isJsonObject(value)) return value;
  const entries: [string, unknown][] = [];
  let isChanged = false;
  for (const key of Object.keys(value)) {
    const item = change(key, value[key]);
    isChanged ||= item !== value[key];
    if (item !== OMITTED) entries.push([key, item]);
  }
  return isChanged ? Object.fromEntries(entries) : value;
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function compile(schema: Fields, keyword: string): MarkedPlaces | null {
  const mark = schema[keyword];
  if (mark !== undefined) return { mark, fields: new Map(), each: null };
  const inner = (each: unknown): MarkedPlaces | null => markedPlaces(each, keyword);
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const patterns = isJsonObject(schema['patternProperties'])
    ? Object.values(schema['patternProperties'])
    : [];
  const own: MarkedPlaces = {
    mark: null,
    fields: new Map(properties.flatMap(([name, each]) => entryOf(name, inner(each)))),
    each: [schema['items'], ...patterns].map(inner).reduce(merged, null),
  };
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const branches = schema[key];
    return Array.isArray(branches) ? branches.map(inner) : [];
  });
  return [own, ...variants].reduce(merged, null);
}

function entryOf(name: string, places: MarkedPlaces | null): [string, MarkedPlaces][] {
  return places ? [[name, places]] : [];
}

/** Merges the places of two schemas, for values that may match either. */
function merged(a: MarkedPlaces | null, b: MarkedPlaces | null): MarkedPlaces | null {
  const [one, other] = [a, b].map((places) => (places && hasMarks(places) ? places : null));
  if (!one || !other) return one ?? other ?? null;
  if (one.mark !== null || other.mark !== null) return one.mark !== null ? one : other;
  const names = new Set([...one.fields.keys(), ...other.fields.keys()]);
  return {
    mark: null,
    fields: new Map(
      [...names].flatMap((name) =>
        entryOf(name, merged(one.fields.get(name) ?? null, other.fields.get(name) ?? null)),
      ),
    ),
    each: merged(one.each, other.each),
  };
}

function hasMarks({ mark, fields, each }: MarkedPlaces): boolean {
  return mark !== null || fields.size > 0 || each !== null;
}
