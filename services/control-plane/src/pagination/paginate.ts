import type { Page } from '@calls/api-contract/rest/common';
import type { Direction, PageSource } from '@calls/store/keyset';
import type { Cursor } from './cursor.ts';

/** Reads one page of a list with cursors in both directions. `link` converts a cursor to a URL. */
export async function paginate<Row, Item>(
  source: PageSource<Row>,
  request: { cursor: Cursor | null; pageSize: number },
  shape: { item: (row: Row) => Item | Promise<Item>; link: (cursor: Cursor) => string },
): Promise<Page<Item>> {
  const { cursor, pageSize } = request;
  const direction = cursor?.direction ?? 'next';
  const [fetched, total] = await Promise.all([
    source.fetch({ from: cursor?.key ?? null, direction, limit: pageSize + 1 }),
    source.count(),
  ]);
  const more = fetched.length > pageSize;
  const rows = fetched.slice(0, pageSize);
  if (direction === 'previous') rows.reverse();
  const linkFrom = (to: Direction, row: Row | undefined): string | null =>
    row === undefined ? null : shape.link({ direction: to, key: source.keyOf(row) });
  const goesOn = {
    next: direction === 'previous' || more,
    previous: direction === 'next' ? cursor !== null : more,
  };
  return {
    results: await Promise.all(rows.map(shape.item)),
    next: goesOn.next ? linkFrom('next', rows.at(-1)) : null,
    previous: goesOn.previous ? linkFrom('previous', rows[0]) : null,
    total,
  };
}
