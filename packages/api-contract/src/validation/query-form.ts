import type { TSchema } from 'typebox';
import { snakeCase } from './request-normalizer.ts';

type RawQuery = Readonly<Record<string, unknown>>;

/**
 * Converts a query string according to a schema: `a=1&a=2` and `a=1,2` become a list, `m[k]=v` and `m.k=v` become map
 * entries; decimal numbers, `true` and `false` (also `True` and `False`, which Python's clients send) are converted if
 * the schema expects them. Names are accepted in snake_case and lowerCamelCase; a parameter in both forms was given
 * twice. Unknown parameters are dropped.
 */
export function queryForm(schema: TSchema): (query: RawQuery) => Record<string, unknown> {
  const properties = 'properties' in schema ? (schema.properties as Record<string, TSchema>) : {};
  const ofType = (type: string): string[] =>
    Object.keys(properties).filter((name) => {
      const property = properties[name];
      return property && 'type' in property && property.type === type;
    });
  const lists = ofType('array');
  const maps = ofType('object');
  const spellings = new Map(
    Object.keys(properties).flatMap((name) =>
      [name, snakeCase(name), camelCase(name)].map((spelling) => [spelling, name]),
    ),
  );
  return (query) => {
    const raw = new Map<string, unknown>();
    for (const [spelling, value] of Object.entries(query)) {
      const name = spelling.replace(/^[^.[]+/u, (stem) => spellings.get(stem) ?? stem);
      raw.set(name, raw.has(name) ? [raw.get(name), value].flat() : value);
    }
    const given = [...raw].map(([name, value]): [string, unknown] => [
      name,
      lists.includes(name) ? listOf(value) : scalarOf(properties[name], value),
    ]);
    const gathered = maps.flatMap((map): [string, unknown][] => {
      const entries = given.flatMap(([name, value]): [string, unknown][] => {
        const key = keyWithin(map, name);
        return key === null ? [] : [[key, value]];
      });
      return entries.length === 0 ? [] : [[map, Object.fromEntries(entries)]];
    });
    const rest = given.filter(([name]) => maps.every((map) => keyWithin(map, name) === null));
    return Object.fromEntries([...gathered, ...rest].filter(([name]) => Object.hasOwn(properties, name)));
  };
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
]);
const DECIMAL = /^-?\d{1,20}(?:\.\d{1,20})?$/u;

/** Other text remains unchanged, and the validator rejects it. */
function scalarOf(schema: TSchema | undefined, value: unknown): unknown {
  if (!schema || !('type' in schema) || typeof value !== 'string') return value;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return DECIMAL.test(value) ? Number(value) : value;
    case 'boolean':
      return BOOLEANS.get(value) ?? value;
    default:
      return value;
  }
}

/** `minimum_severity` → `minimumSeverity` */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

function listOf(value: unknown): unknown[] {
  return [value].flat().flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]));
}

/** `m[k]` and `m.k` → `k`; null for other names. */
function keyWithin(map: string, name: string): string | null {
  if (name.startsWith(`${map}[`) && name.endsWith(']')) return name.slice(map.length + 1, -1);
  return name.startsWith(`${map}.`) ? name.slice(map.length + 1) : null;
}
