import { isJsonObject } from '../json-object.ts';

type JsonMap = Readonly<Record<string, unknown>>;
/** Creates the error to throw for a problem: `is too large with its references resolved`. */
type Refusal = (problem: string) => Error;

/** Limit of objects and lists in the copies. */
export const MAX_INLINED_NODES = 20_000;
const MAX_DEPTH = 64;

/**
 * Copies a part of a JSON document, with references within the document replaced by their targets. Parts that are limited
 * together share a `budget`.
 */
export function inlineReferences(
  document: JsonMap,
  part: unknown,
  refusal: Refusal,
  budget = { nodes: MAX_INLINED_NODES },
): unknown {
  const copy = (value: unknown, open: readonly string[], depth: number): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    budget.nodes -= 1;
    if (budget.nodes < 0) throw refusal('is too large with its references resolved');
    if (depth > MAX_DEPTH) throw refusal(`must not be nested more than ${MAX_DEPTH} levels deep`);
    if (Array.isArray(value)) return value.map((item) => copy(item, open, depth + 1));
    const { $ref: reference } = value as JsonMap;
    if (typeof reference !== 'string') {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, copy(item, open, depth + 1)]),
      );
    }
    if (open.includes(reference)) throw refusal(`has a part that contains itself: ${reference}`);
    const target = copy(targetOf(document, reference, refusal), [...open, reference], depth + 1);
    const besides = Object.entries(value).filter(([key]) => key !== '$ref');
    if (!isJsonObject(target)) return target;
    return { ...target, ...(copy(Object.fromEntries(besides), open, depth + 1) as JsonMap) };
  };
  return copy(part, [], 0);
}

function targetOf(document: JsonMap, reference: string, refusal: Refusal): unknown {
  const shown = reference.slice(0, 100);
  if (!reference.startsWith('#/')) throw refusal(`must not refer to anything outside itself: ${shown}`);
  let at: unknown = document;
  for (const part of reference.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(at) || !Object.hasOwn(at, key))
      throw refusal(`has a reference without a target: ${shown}`);
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
