import type { Fault } from './validator.ts';

/** Deeper JSON than this is refused. */
const MAX_DEPTH = 32;
const MAX_FAULTS = 20;

/**
 * Text that no database and no speech engine takes, anywhere in a body: NUL characters and halves of surrogate pairs;
 * and nesting deeper than anyone needs.
 */
export function textFaults(body: unknown): Fault[] {
  const faults: Fault[] = [];
  const check = (text: string, path: string): void => {
    if (text.includes('\0')) faults.push({ path, message: 'must not contain the NUL character' });
    else if (!text.isWellFormed()) faults.push({ path, message: 'must be well-formed Unicode' });
  };
  const pending: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }];
  for (let next = pending.pop(); next !== undefined && faults.length < MAX_FAULTS; next = pending.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') check(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) {
      faults.push({ path, message: `must not be nested more than ${MAX_DEPTH} levels deep` });
      continue;
    }
    for (const [key, item] of Object.entries(value)) {
      const itemPath = path === '' ? key : `${path}.${key}`;
      check(key, itemPath);
      pending.push({ value: item, path: itemPath, depth: depth + 1 });
    }
  }
  return faults;
}
