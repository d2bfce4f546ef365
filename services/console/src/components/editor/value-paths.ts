type Json = Record<string, unknown> | unknown[];

/** The value at a dotted path, `inactivityMessages.0.duration`; undefined if missing. */
export function valueAt(root: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value: unknown, key) => (isJson(value) ? childOf(value, key) : undefined), root);
}

/** A copy with the value at the path; undefined removes the field. Creates missing parents. */
export function withValueAt<Root extends object>(root: Root, path: string, value: unknown): Root {
  return changed(root, path.split('.'), value) as Root;
}

function changed(at: unknown, [key = '', ...rest]: readonly string[], value: unknown): Json {
  const base = isJson(at) ? at : {};
  const next = rest.length === 0 ? value : changed(childOf(base, key), rest, value);
  if (Array.isArray(base)) {
    return next === undefined
      ? base.filter((_, index) => index !== Number(key))
      : Object.assign([...base], { [key]: next });
  }
  if (next !== undefined) return { ...base, [key]: next };
  return Object.fromEntries(Object.entries(base).filter(([name]) => name !== key));
}

function childOf(value: Json, key: string): unknown {
  return Array.isArray(value) ? value[Number(key)] : value[key];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
