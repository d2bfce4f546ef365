import { describe, expect, it } from '@jest/globals';
import { createCursorCodec, type Cursor } from './cursor.ts';
import type { PageSource } from '@calls/store/keyset';
import { paginate } from './paginate.ts';

const SECRET = 'a secret of enough characters';

describe('cursors', () => {
  const codec = createCursorCodec([SECRET]);
  const cursor: Cursor = { direction: 'previous', key: [1_700_000_000_000, 'id'] };

  it('survive a round trip, but are valid only for their own list', () => {
    const text = codec.encode('calls of a', cursor);
    expect(codec.decode('calls of a', text)).toEqual(cursor);
    expect(codec.decode('calls of b', text)).toBeNull();
    expect(createCursorCodec([`${SECRET}2`]).decode('calls of a', text)).toBeNull();
  });

  it('are rejected when altered', () => {
    const text = codec.encode('s', cursor);
    const [payload = '', signature = ''] = text.split('.');
    const other = Buffer.from('["next",0,"x"]').toString('base64url');
    for (const bad of ['', '.', 'x', `${other}.${signature}`, `${payload}.`, `${text}.x`, payload]) {
      expect(codec.decode('s', bad)).toBeNull();
    }
  });
});

/** A list of numbers in ascending order. */
function listOf(rows: number[]): PageSource<number> {
  return {
    fetch({ from, direction, limit }) {
      const ordered = direction === 'next' ? rows : rows.toReversed();
      const after = (row: number) => (direction === 'next' ? row > Number(from![0]) : row < Number(from![0]));
      return Promise.resolve((from ? ordered.filter(after) : ordered).slice(0, limit));
    },
    count: () => Promise.resolve(rows.length),
    keyOf: (row) => [row],
  };
}

describe('paginate', () => {
  const rows = Array.from({ length: 7 }, (_, i) => i);
  const read = (list: number[], cursor: Cursor | null, pageSize = 3) =>
    paginate(listOf(list), { cursor, pageSize }, { item: (row) => row, link: (to) => JSON.stringify(to) });
  const follow = (link: string | null) => JSON.parse(link ?? 'null') as Cursor | null;

  it('follows links to the last page and back', async () => {
    const first = await read(rows, null);
    expect(first).toMatchObject({ results: [0, 1, 2], previous: null, total: 7 });
    const second = await read(rows, follow(first.next));
    expect(second.results).toEqual([3, 4, 5]);
    const third = await read(rows, follow(second.next));
    expect(third).toMatchObject({ results: [6], next: null });
    const back = await read(rows, follow(third.previous));
    expect(back.results).toEqual([3, 4, 5]);
    const start = await read(rows, follow(back.previous));
    expect(start).toMatchObject({ results: [0, 1, 2], previous: null });
    expect(start.next).not.toBeNull();
  });

  it('has no next page when the rows exactly fill the page', async () => {
    expect(await read([1, 2, 3], null)).toMatchObject({ results: [1, 2, 3], next: null, previous: null });
    expect(await read([], null)).toEqual({ results: [], next: null, previous: null, total: 0 });
  });

  it('neither repeats nor skips rows when rows are added before the cursor', async () => {
    const first = await read(rows, null);
    const second = await read(
      [-2, -1, 0.5, ...rows].sort((a, b) => a - b),
      follow(first.next),
    );
    expect(second.results).toEqual([3, 4, 5]);
  });
});
