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
  isComplete: boolean;
}

export interface GrowingList<T> {
  /** Undefined until the first response. */
  readonly items: readonly T[] | undefined;
  /** Whether the items are the first of a list that is still loading. */
  readonly isLoadingMore: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/**
 * Loads a list that only grows at its end: all pages once, then only the last page and new ones. Keys that differ only in
 * their last element belong to the same list. The items of the first pages are returned while the others load. They are
 * updated only when their number has doubled, because each update renders all of them.
 */
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
        if (following === null) return { items, lastPageAt, lastCursor: cursor, isComplete: true };
        cursor = following;
        const shown = queries
          .getQueriesData<Known<T>>({ queryKey: key.slice(0, -1) })
          .map(([, data]) => data?.items.length ?? 0);
        if (items.length < 2 * Math.max(...shown)) continue;
        const loaded = { items: [...items], lastPageAt: items.length, lastCursor: cursor, isComplete: false };
        queries.setQueryData<Known<T>>(key, loaded);
      }
    },
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  return {
    items: query.data?.items,
    isLoadingMore: query.data?.isComplete === false && query.error === null,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
