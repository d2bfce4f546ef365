/** Limit of a request body, except for operations that set their own. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Limit of values in such a body, or in one item of a larger body: members and items at every depth. */
export const MAX_BODY_VALUES = 12_000;

/** Whether a value contains more than `most` values, including itself. Stops counting there. */
export function hasMoreValuesThan(root: unknown, most: number): boolean {
  const pending = [root];
  let found = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    found += 1;
    if (found + pending.length > most) return true;
    if (typeof value !== 'object' || value === null) continue;
    const items = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
    if (found + pending.length + items.length > most) return true;
    for (const item of items) pending.push(item);
  }
  return false;
}
