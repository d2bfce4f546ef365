import { isJsonObject } from '@calls/foundation/json-object';

type Context = Record<string, unknown>;

/**
 * Copies fields of a request into a context. Sources are dotted paths, or the literal names of fields; targets are
 * dotted paths. Missing fields are skipped; of conflicting targets, the last one wins.
 */
export function mapContext(mapping: Readonly<Record<string, string>>, request: unknown): Context {
  const context: Context = {};
  for (const [from, to] of Object.entries(mapping)) {
    const value = own(request, from) ?? from.split('.').reduce(own, request);
    if (value !== undefined) put(context, to.split('.'), value);
  }
  return context;
}

function own(value: unknown, key: string): unknown {
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key];
}

function put(context: Context, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    define(context, key, value);
    return;
  }
  const known = own(context, key);
  const inner = isJsonObject(known) ? { ...known } : {};
  put(inner, rest, value);
  define(context, key, inner);
}

/** Defines an own property: an assignment to `__proto__` would change the prototype. */
function define(context: Context, key: string, value: unknown): void {
  Object.defineProperty(context, key, { value, enumerable: true, configurable: true, writable: true });
}
