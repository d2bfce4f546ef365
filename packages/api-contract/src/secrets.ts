import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@calls/foundation/json-object';
import { SECRET_MARK } from '@calls/foundation/schema/keywords';
import type { TSchema } from 'typebox';
import {
  mapItems,
  mapMarked,
  markedPlaces,
  OMITTED,
  placesAt,
  type Fields,
  type MarkedPlaces,
} from './marks.ts';

/** The value with each secret of the schema mapped; what does not change is not copied. Accepts any value. */
export function mapSecrets<T>(schema: TSchema, value: T, map: (secret: string) => string): T {
  return mapMarked(schema, SECRET_MARK, value, map);
}

/** The value without its secrets; what has none is not copied. */
export function withoutSecrets<T>(schema: TSchema, value: T): T {
  const places = markedPlaces(schema, SECRET_MARK);
  return places ? (withoutAt(places, value) as T) : value;
}

/**
 * Adds the secrets of `before` that are missing in its replacement `value`, so that a client may send back a response.
 * Empty lists and objects clear secrets. A secret stays with the fields that it belongs to.
 */
export function withSecretsOf<T>(schema: TSchema, before: unknown, value: T): T {
  const places = markedPlaces(schema, SECRET_MARK);
  return places ? (restoreAt(places, [before], value) as T) : value;
}

/** Dotted paths to the secrets of a schema; `*` stands for any key or index. */
export function secretPaths(schema: TSchema): string[] {
  const paths = (places: MarkedPlaces | null, path: string): string[] => {
    if (!places) return [];
    if (places.mark !== null) return [path];
    const below = [...places.fields, ...(places.each ? [['*', places.each] as const] : [])];
    return below.flatMap(([key, inner]) => paths(inner, path === '' ? key : `${path}.${key}`));
  };
  return paths(markedPlaces(schema, SECRET_MARK), '');
}

function withoutAt(places: MarkedPlaces, value: unknown): unknown {
  return mapItems(value, (key, item) => {
    const inner = placesAt(places, key);
    if (inner && inner.mark !== null) return OMITTED;
    return inner ? withoutAt(inner, item) : item;
  });
}

/**
 * `before`: the previous value at this place; for items of a list, all previous items, because any of them may
 * correspond.
 */
function restoreAt(places: MarkedPlaces, before: readonly unknown[], value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = before.flatMap((each): unknown[] => (Array.isArray(each) ? each : []));
    return value.map((item: unknown) => (places.each ? restoreAt(places.each, items, item) : item));
  }
  if (!isJsonObject(value)) return value;
  const candidates = before.filter(isJsonObject);
  const given = mapItems(value, (key, item) => {
    const inner = placesAt(places, key);
    const below = candidates.map((each) => each[key]);
    return inner?.mark === null ? restoreAt(inner, below, item) : item;
  });
  const stored = [...places.fields].flatMap(([name, { mark }]) => {
    if (!Array.isArray(mark) || value[name] !== undefined) return [];
    const belongsTo = mark.map(String);
    const isSame = (each: Fields): boolean =>
      each[name] !== undefined &&
      belongsTo.every((path) => isDeepStrictEqual(fieldAt(each, path), fieldAt(value, path)));
    const owner = candidates.find(isSame);
    return owner ? [[name, owner[name]] as const] : [];
  });
  return { ...(given as Fields), ...Object.fromEntries(stored) };
}

function fieldAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
}
