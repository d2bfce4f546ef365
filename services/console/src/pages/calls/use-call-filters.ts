import { useSearchParams } from 'react-router';
import { filtersFrom, filtersToParams, NO_FILTERS, type CallFilters } from './call-filters.ts';

/** The filters as the address of the page has them, so that a filtered list can be shared. */
export function useCallFilters() {
  const [params, setParams] = useSearchParams();
  const filters = filtersFrom(params);
  const show = (next: CallFilters): void => setParams(filtersToParams(next), { replace: true });
  return {
    filters,
    change: (changed: Partial<CallFilters>) => show({ ...filtersFrom(params), ...changed }),
    clear: () => show({ ...NO_FILTERS, sort: filters.sort }),
  };
}
