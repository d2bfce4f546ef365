import { useQuery } from '@tanstack/react-query';
import { allItems } from '../api/all-pages.ts';
import { dataOf, api } from '../api/client.ts';

const STALE_MS = 60_000;

/** The name of an API key, or the start of the key if it has none or is deleted. */
export function KeyName({ prefix }: { prefix: string }) {
  const names = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: async () => {
      const keys = await allItems(
        (cursor) => dataOf(api.GET('/api/api_keys', { params: { query: { ...cursor, pageSize: 100 } } })),
        () => undefined,
      );
      return new Map(keys.map((key) => [key.prefix, key.name]));
    },
    staleTime: STALE_MS,
  });
  return names.data?.get(prefix) || <span className="mono">{prefix}…</span>;
}
