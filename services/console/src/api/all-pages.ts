import { cursorOf } from './use-list.ts';

/** All items of a list of the API. `onProgress`: the number of items so far. */
export async function allItems<T>(
  fetchPage: (cursor: { cursor?: string }) => Promise<{ results: T[]; next: string | null }>,
  onProgress: (count: number) => void,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page = await fetchPage(cursor === null ? {} : { cursor });
    items.push(...page.results);
    cursor = cursorOf(page.next);
    onProgress(items.length);
  } while (cursor !== null);
  return items;
}
