import type { Severity } from '@calls/api-contract/rest/enums';

const ASCENDING: readonly Severity[] = ['debug', 'info', 'warning', 'error'];

/** `minimum` and all higher severities; null if these are all severities. */
export function severitiesFrom(minimum: Severity): readonly Severity[] | null {
  const index = ASCENDING.indexOf(minimum);
  return index <= 0 ? null : ASCENDING.slice(index);
}
