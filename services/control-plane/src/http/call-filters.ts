import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import { invalidRequest } from '../problems/problem.ts';

/** The filters as they are; throws a problem for those that no call could fit. */
export function usableFilters<F extends CallFilters>(filters: F): F {
  const { fromDate, toDate } = filters;
  if (fromDate !== undefined && toDate !== undefined && Date.parse(toDate) < Date.parse(fromDate)) {
    throw invalidRequest('query', [{ path: 'toDate', message: 'must not be before fromDate' }]);
  }
  return filters;
}
