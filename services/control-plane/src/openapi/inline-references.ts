import { isMap, OpenApiFault, type JsonMap } from './document.ts';

const MAX_NODES = 20_000;
const MAX_DEPTH = 64;

/** Copies a part of the document, with references replaced by their targets. */
export function inlineReferences(document: JsonMap, part: unknown): unknown {
  let nodes = 0;
  const copy = (value: unknown, open: readonly string[], depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    nodes += 1;
    if (nodes > MAX_NODES) throw new OpenApiFault('is too large with its references resolved');
    if (depth > MAX_DEPTH) throw new OpenApiFault(`must not be nested more than ${MAX_DEPTH} levels deep`);
    if (Array.isArray(value)) return value.map((item) => copy(item, open, depth + 1));
    const { $ref: reference } = value as JsonMap;
    if (typeof reference !== 'string') {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, copy(item, open, depth + 1)]),
      );
    }
    if (open.includes(reference)) throw new OpenApiFault(`has a part that contains itself: ${reference}`);
    const target = copy(targetOf(document, reference), [...open, reference], depth + 1);
    const besides = Object.entries(value).filter(([key]) => key !== '$ref');
    if (!isMap(target)) return target;
    return { ...target, ...(copy(Object.fromEntries(besides), open, depth + 1) as JsonMap) };
  };
  return copy(part, [], 0);
}

function targetOf(document: JsonMap, reference: string): unknown {
  const shown = reference.slice(0, 100);
  if (!reference.startsWith('#/'))
    throw new OpenApiFault(`must not refer to anything outside itself: ${shown}`);
  let at: unknown = document;
  for (const part of reference.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isMap(at) || !Object.hasOwn(at, key))
      throw new OpenApiFault(`has a reference without a target: ${shown}`);
    at = at[key];
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
