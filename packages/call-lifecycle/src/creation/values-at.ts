export interface ValueAt {
  path: string;
  value: unknown;
}

/** Values at a dotted path of any value, each with its own path; `*` stands for any key or index. */
export function valuesAt(body: unknown, path: string): ValueAt[] {
  let found: ValueAt[] = [{ path: '', value: body }];
  for (const key of path.split('.')) {
    if (found.length === 0) break;
    found = found.flatMap(({ path: at, value }) => {
      if (typeof value !== 'object' || value === null) return [];
      const keys = key === '*' ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
      return keys.map((each) => ({
        path: at === '' ? each : `${at}.${each}`,
        value: (value as Record<string, unknown>)[each],
      }));
    });
  }
  return found;
}

/** The value at a path without `*`. */
export function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
