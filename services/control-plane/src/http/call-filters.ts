import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import { invalidRequest } from '../problems/problem.ts';

/** Returns the filters. Throws a problem if no call can match them. */
export function usableFilters<F extends CallFilters>(filters: F): F {
  const { fromDate, toDate } = filters;
  if (fromDate !== undefined && toDate !== undefined && Date.parse(toDate) < Date.parse(fromDate)) {
    throw invalidRequest('query', [{ path: 'toDate', message: 'must not be before fromDate' }]);
  }
  return filters;
}
