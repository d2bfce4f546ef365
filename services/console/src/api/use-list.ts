import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

interface Page<T> {
  results: T[];
  /** An absolute URL with the cursor of the next page. */
  next: string | null;
  total: number;
}

export interface List<T> {
  /** Undefined until the first response. */
  readonly items: readonly T[] | undefined;
  readonly total: number;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Whether the items belong to previous filters while the new ones load. */
  readonly isStale: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

/**
 * Loads a list of the API page by page: `useList(['agents', search], (cursor) => dataOf(api.GET('/api/agents', {
 * params: { query: { ...cursor, search } } })))`.
 */
export function useList<T>(
  key: readonly unknown[],
  fetchPage: (cursor: { cursor?: string }) => Promise<Page<T>>,
  options: { refreshMs?: number } = {},
): List<T> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => fetchPage(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    placeholderData: keepPreviousData,
    // A refresh loads all pages, so it is less frequent with more pages.
    refetchInterval: ({ state }) =>
      options.refreshMs === undefined
        ? false
        : options.refreshMs * Math.max(1, state.data?.pages.length ?? 1),
  });
  return {
    items: query.data?.pages.flatMap(({ results }) => results),
    total: query.data?.pages.at(-1)?.total ?? 0,
    error: query.error,
    isLoading: query.isPending,
    isStale: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

export function cursorOf(next: string | null): string | null {
  return next === null ? null : new URL(next).searchParams.get('cursor');
}
