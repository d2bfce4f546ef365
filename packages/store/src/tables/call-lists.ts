import { callFilters, type CallFilters, type CallSort } from '@calls/api-contract';
import { sql, type RawBuilder } from 'kysely';
import { pagesOf, type CursorKey, type ListOrder, type PageSource, type PageTable } from '../keyset.ts';
import type { Database } from '../store.ts';
import { DURATION_MS, filteredCalls } from './call-facts.ts';
import type { CallRow } from './calls.ts';

interface SortKey {
  column: 'created_at' | 'ended_at' | 'duration_ms';
  /** Of the column; never null, and as its index has it. */
  by: RawBuilder<unknown>;
  keyOf: (row: CallRow) => string | number;
}

/** Live calls end last, and are the shortest. */
const SORT_KEYS: Record<'created' | 'ended' | 'duration', SortKey> = {
  created: {
    column: 'created_at',
    by: sql.ref('created_at'),
    keyOf: (row) => row.created_at.toISOString(),
  },
  ended: {
    column: 'ended_at',
    by: sql`coalesce(ended_at, 'infinity')`,
    keyOf: (row) => row.ended_at?.toISOString() ?? 'infinity',
  },
  duration: { column: 'duration_ms', by: DURATION_MS, keyOf: durationMs },
};

function durationMs({ joined_at: joined, ended_at: ended }: CallRow): number {
  if (!ended) return -1;
  return joined ? Math.max(0, ended.getTime() - joined.getTime()) : 0;
}

const FILTERS = Object.keys(callFilters) as (keyof CallFilters)[];

/** Up to so many calls are looked up and put in order; of more, those of the page are found in the order's index. */
const FEW_CALLS = 3000;

/** The account's calls that fit the filters, newest first where nothing else is asked for. */
export function callsOf(
  db: Database,
  accountId: string,
  filters: CallFilters = {},
  sort: CallSort = '-created',
): PageSource<CallRow> {
  const { column, by, keyOf } = SORT_KEYS[sort.replace('-', '') as keyof typeof SORT_KEYS];
  const order: ListOrder<CallRow> = {
    by: [by, 'call_id'],
    direction: sort.startsWith('-') ? 'desc' : 'asc',
    keyOf: (row): CursorKey => [keyOf(row), row.call_id],
  };
  const rowsOf = (page: PageTable) =>
    db.selectFrom(page).innerJoin('calls', 'calls.call_id', 'page.call_id').selectAll('calls');
  const ordered = filteredCalls(db, accountId, filters, 'are_kept', 'estimate').select('call_id');
  const inOrder = pagesOf(ordered, order, rowsOf);
  if (!FILTERS.some((name) => filters[name] !== undefined)) return inOrder;
  const found = filteredCalls(db, accountId, filters, 'are_kept').select(['call_id', column]);
  const few = db.with(
    (cte) => cte('found').materialized(),
    () => found,
  );
  const gathered = pagesOf(few.selectFrom('found').select('call_id'), order, rowsOf);
  const total = once(() => pagesOf(found, order, rowsOf).count());
  return {
    keyOf: order.keyOf,
    count: total,
    // The planner can only guess how many fit, and a wrong guess reads the whole index for a page.
    fetch: async (page) => ((await total()) <= FEW_CALLS ? gathered : inOrder).fetch(page),
  };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
