import type { TSchema } from 'typebox';

/** Where the values of a schema carry a mark: mirrors the schema, without the parts that have none. */
export interface MarkedPlaces {
  /** Value of the mark at this place; null: the marks are further below. */
  readonly mark: unknown;
  readonly fields: ReadonlyMap<string, MarkedPlaces>;
  /** Of each item of a list, and of each field that is not in `fields`. */
  readonly each: MarkedPlaces | null;
}

export type Fields = Readonly<Record<string, unknown>>;

const compiled = new Map<string, WeakMap<object, { places: MarkedPlaces | null }>>();

/** Null if the schema has no such mark. `keyword` is the name of the mark in schemas. */
export function markedPlaces(schema: unknown, keyword: string): MarkedPlaces | null {
  if (!isFields(schema)) return null;
  let ofKeyword = compiled.get(keyword);
  if (!ofKeyword) compiled.set(keyword, (ofKeyword = new WeakMap()));
  let entry = ofKeyword.get(schema);
  if (!entry) ofKeyword.set(schema, (entry = { places: compile(schema, keyword) }));
  return entry.places;
}

/**
 * A copy in which each text at or below a mark of the schema is replaced by what `map` returns for it; everything else is
 * unchanged. `path` is dotted. Takes any value, also one that does not fit the schema.
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
      : copied(at, (key, item) => [mapTexts(item, below(path, key), mark)]);
  const visit = (places: MarkedPlaces, at: unknown, path: string): unknown => {
    if (places.mark !== null) return mapTexts(at, path, places.mark);
    return copied(at, (key, item) => {
      const inner = placesAt(places, key);
      return [inner ? visit(inner, item, below(path, key)) : item];
    });
  };
  const places = markedPlaces(schema, keyword);
  return places ? (visit(places, value, '') as T) : value;
}

export function placesAt(places: MarkedPlaces, key: string): MarkedPlaces | null {
  return places.fields.get(key) ?? places.each;
}

/** A copy of a list or an object with what `change` returns for each item; an empty list leaves it out. Other values are returned. */
export function copied(value: unknown, change: (key: string, item: unknown) => [] | [unknown]): unknown {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => change(String(index), item));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => change(key, item).map((changed) => [key, changed])),
  );
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function compile(schema: Fields, keyword: string): MarkedPlaces | null {
  const mark = schema[keyword];
  if (mark !== undefined) return { mark, fields: new Map(), each: null };
  const inner = (each: unknown): MarkedPlaces | null => markedPlaces(each, keyword);
  const properties = isFields(schema['properties']) ? Object.entries(schema['properties']) : [];
  const patterns = isFields(schema['patternProperties']) ? Object.values(schema['patternProperties']) : [];
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

/** Of a value that can fit either. */
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
