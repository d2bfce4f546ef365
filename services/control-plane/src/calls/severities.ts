import type { Severity } from '@calls/api-contract/rest/enums';

const ASCENDING: readonly Severity[] = ['debug', 'info', 'warning', 'error'];

/** `minimum` and everything graver; null where that is everything. */
export function severitiesFrom(minimum: Severity): readonly Severity[] | null {
  const index = ASCENDING.indexOf(minimum);
  return index <= 0 ? null : ASCENDING.slice(index);
}
