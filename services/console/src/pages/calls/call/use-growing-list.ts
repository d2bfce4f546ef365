import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { cursorOf } from '../../../api/use-list.ts';

interface Page<T> {
  results: T[];
  next: string | null;
}

interface Known<T> {
  items: T[];
  /** Index of the first item of the last page, which is reloaded with this cursor. */
  lastPageAt: number;
  lastCursor: string | null;
}

export interface GrowingList<T> {
  /** Undefined until the first response. */
  readonly items: readonly T[] | undefined;
  readonly error: unknown;
  readonly retry: () => void;
}

/** Loads a list that only grows at its end: all pages once, then only the last page and new ones. */
export function useGrowingList<T>(
  key: readonly unknown[],
  fetchPage: (cursor: { cursor?: string }) => Promise<Page<T>>,
  { refreshMs }: { refreshMs: number | false },
): GrowingList<T> {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: key,
    queryFn: async (): Promise<Known<T>> => {
      const known = queries.getQueryData<Known<T>>(key);
      const items = known ? known.items.slice(0, known.lastPageAt) : [];
      let cursor = known?.lastCursor ?? null;
      for (;;) {
        const { results, next } = await fetchPage(cursor === null ? {} : { cursor });
        const lastPageAt = items.length;
        items.push(...results);
        const following = cursorOf(next);
        if (following === null) return { items, lastPageAt, lastCursor: cursor };
        cursor = following;
      }
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  return { items: query.data?.items, error: query.error, retry: () => void query.refetch() };
}
