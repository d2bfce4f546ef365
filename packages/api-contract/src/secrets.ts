import { isDeepStrictEqual } from 'node:util';
import type { TSchema } from 'typebox';
import { SECRET_MARK } from './rest/annotations.ts';

/** Where a schema has secrets, as its marks say. */
interface Place {
  /** What the secret here belongs to; null: the secrets are further below. */
  readonly belongsTo: readonly string[] | null;
  readonly fields: ReadonlyMap<string, Place>;
  /** Of every item of a list, and of every field that isn't in `fields`; null: they have none. */
  readonly each: Place | null;
}

const known = new WeakMap<object, { place: Place | null }>();

/** A copy with every text mapped that is a secret by the marks of the schema; everything else as it was. Takes any value. */
export function mapSecrets<T>(schema: TSchema, value: T, map: (secret: string) => string): T {
  const place = placeIn(schema);
  return place ? (mapAt(place, value, map) as T) : value;
}

/** A copy without its secrets. */
export function withoutSecrets<T>(schema: TSchema, value: T): T {
  const place = placeIn(schema);
  return place ? (withoutAt(place, value) as T) : value;
}

/**
 * `value`, which replaces `before`, with the secrets of `before` where it leaves them out: a client that sends back what it was
 * answered loses none. Empty lists and objects clear them. A secret stays with what it belongs to.
 */
export function withSecretsOf<T>(schema: TSchema, before: unknown, value: T): T {
  const place = placeIn(schema);
  return place ? (keepAt(place, [before], value) as T) : value;
}

/** Dotted paths to the secrets of a schema; `*` stands for any key or index. */
export function secretPaths(schema: TSchema): string[] {
  const paths = (place: Place | null, path: string): string[] => {
    if (!place) return [];
    if (place.belongsTo) return [path];
    const below = [...place.fields, ...(place.each ? [['*', place.each] as const] : [])];
    return below.flatMap(([key, inner]) => paths(inner, path === '' ? key : `${path}.${key}`));
  };
  return paths(placeIn(schema), '');
}

function placeIn(schema: TSchema): Place | null {
  return compiled(schema);
}

type Fields = Readonly<Record<string, unknown>>;

function compiled(schema: unknown): Place | null {
  if (!isFields(schema)) return null;
  let entry = known.get(schema);
  if (!entry) {
    entry = { place: compile(schema) };
    known.set(schema, entry);
  }
  return entry.place;
}

function compile(schema: Fields): Place | null {
  const belongsTo = schema[SECRET_MARK];
  if (Array.isArray(belongsTo)) return { belongsTo: belongsTo.map(String), fields: new Map(), each: null };
  const properties = isFields(schema['properties']) ? Object.entries(schema['properties']) : [];
  const patterns = isFields(schema['patternProperties']) ? Object.values(schema['patternProperties']) : [];
  const own: Place = {
    belongsTo: null,
    fields: new Map(properties.flatMap(([name, inner]) => entryOf(name, compiled(inner)))),
    each: [schema['items'], ...patterns].map(compiled).reduce(merged, null),
  };
  const variants = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const branches = schema[key];
    return Array.isArray(branches) ? branches.map(compiled) : [];
  });
  return [own, ...variants].reduce(merged, null);
}

function entryOf(name: string, place: Place | null): [string, Place][] {
  return place ? [[name, place]] : [];
}

/** Of a value that may fit either. */
function merged(a: Place | null, b: Place | null): Place | null {
  const [one, other] = [a, b].map((place) => (place && isPlace(place) ? place : null));
  if (!one || !other) return one ?? other ?? null;
  if (one.belongsTo || other.belongsTo) return one.belongsTo ? one : other;
  const names = new Set([...one.fields.keys(), ...other.fields.keys()]);
  return {
    belongsTo: null,
    fields: new Map(
      [...names].flatMap((name) =>
        entryOf(name, merged(one.fields.get(name) ?? null, other.fields.get(name) ?? null)),
      ),
    ),
    each: merged(one.each, other.each),
  };
}

function isPlace({ belongsTo, fields, each }: Place): boolean {
  return belongsTo !== null || fields.size > 0 || each !== null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placeAt(place: Place, key: string): Place | null {
  return place.fields.get(key) ?? place.each;
}

function mapAt(place: Place, value: unknown, map: (secret: string) => string): unknown {
  if (place.belongsTo) return mapTexts(value, map);
  return copied(value, (key, item) => {
    const inner = placeAt(place, key);
    return [inner ? mapAt(inner, item, map) : item];
  });
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  return copied(value, (_, item) => [mapTexts(item, map)]);
}

function withoutAt(place: Place, value: unknown): unknown {
  return copied(value, (key, item) => {
    const inner = placeAt(place, key);
    if (inner?.belongsTo) return [];
    return [inner ? withoutAt(inner, item) : item];
  });
}

/** A copy of a list or an object; each item is what `change` makes of it, or is left out. Other values are themselves. */
function copied(value: unknown, change: (key: string, item: unknown) => [] | [unknown]): unknown {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => change(String(index), item));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => change(key, item).map((kept) => [key, kept])),
  );
}

/** `before`: what stood here, or in a list what its items were: any of them may be the one that is meant. */
function keepAt(place: Place, before: readonly unknown[], value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = before.flatMap((each): unknown[] => (Array.isArray(each) ? each : []));
    return value.map((item: unknown) => (place.each ? keepAt(place.each, items, item) : item));
  }
  if (!isFields(value)) return value;
  const candidates = before.filter(isFields);
  const given = copied(value, (key, item) => {
    const inner = placeAt(place, key);
    const below = candidates.map((each) => each[key]);
    return [inner && !inner.belongsTo ? keepAt(inner, below, item) : item];
  });
  const stored = [...place.fields].flatMap(([name, { belongsTo }]) => {
    if (!belongsTo || value[name] !== undefined) return [];
    const isSame = (each: Fields): boolean =>
      each[name] !== undefined &&
      belongsTo.every((path) => isDeepStrictEqual(fieldAt(each, path), fieldAt(value, path)));
    const owner = candidates.find(isSame);
    return owner ? [[name, owner[name]] as const] : [];
  });
  return { ...(given as Fields), ...Object.fromEntries(stored) };
}

function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((at, name) => (isFields(at) ? at[name] : undefined), value);
}
