import { callFilters, type CallFilters, type CallSort } from '@calls/api-contract/operations/call-filters';
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { pagesOf, type CursorKey, type ListOrder, type PageSource } from '../keyset.ts';
import type { Schema } from '../schema/index.ts';
import type { Database } from '../store.ts';
import { DURATION_MS, filteredCalls } from './call-facts.ts';
import type { CallRow } from './calls.ts';

type FactsQuery = SelectQueryBuilder<Schema, 'call_facts', object>;

interface SortKey {
  /** Never null; the same expression as in the index. */
  by: RawBuilder<unknown>;
  keyOf: (row: CallRow) => string | number;
}

/** Live calls sort last by end, and are the shortest. */
const SORT_KEYS: Record<'created' | 'ended' | 'duration', SortKey> = {
  created: {
    by: sql.ref('created_at'),
    keyOf: (row) => row.created_at.toISOString(),
  },
  ended: {
    by: sql`coalesce(ended_at, 'infinity')`,
    keyOf: (row) => row.ended_at?.toISOString() ?? 'infinity',
  },
  duration: { by: DURATION_MS, keyOf: durationMs },
};

function durationMs({ joined_at: joined, ended_at: ended }: CallRow): number {
  if (!ended) return -1;
  return joined ? Math.max(0, ended.getTime() - joined.getTime()) : 0;
}

const FILTERS = Object.keys(callFilters) as (keyof CallFilters)[];

/** Up to this many matches are fetched and sorted. With more, the page is read from the order's index. */
const FEW_CALLS = 1500;

/** The account's calls that match the filters, newest first by default. */
export function callsOf(
  db: Database,
  accountId: string,
  filters: CallFilters = {},
  sort: CallSort = '-created',
): PageSource<CallRow> {
  const { by, keyOf } = SORT_KEYS[sort.replace('-', '') as keyof typeof SORT_KEYS];
  const order: ListOrder<CallRow> = {
    by: [by, 'call_id'],
    direction: sort.startsWith('-') ? 'desc' : 'asc',
    keyOf: (row): CursorKey => [keyOf(row), row.call_id],
  };
  const pages = (facts: FactsQuery) =>
    pagesOf(facts.select('call_id'), order, (page) =>
      db.selectFrom(page).innerJoin('calls', 'calls.call_id', 'page.call_id').selectAll('calls'),
    );
  const inOrder = pages(filteredCalls(db, accountId, filters, 'active', 'estimate'));
  const given = FILTERS.filter((name) => filters[name] !== undefined).length;
  if (given === 0) return inOrder;
  const facts = filteredCalls(db, accountId, filters, 'active');
  const found = once(() => countCalls(facts, given > 1));
  return {
    keyOf: order.keyOf,
    count: async () => (await found()).total,
    // The planner can only guess the number of matches, and a wrong guess scans the whole index for one page.
    async fetch(page) {
      const { total, ids } = await found();
      if (total > FEW_CALLS) return inOrder.fetch(page);
      const these = ids ? sql`${ids}::uuid[]` : sql`array(${facts.select('call_id')})`;
      const active = filteredCalls(db, accountId, {}, 'active');
      return pages(active.where(sql<boolean>`call_id = any(${these})`)).fetch(page);
    },
  };
}

/** The number of matches, and their ids if requested and few, which saves a second search. */
function countCalls(facts: FactsQuery, withIds: boolean): Promise<{ total: number; ids: string[] | null }> {
  const few = sql`case when count(*) <= ${FEW_CALLS} then coalesce(array_agg(call_id), '{}') end`;
  return facts
    .select([
      sql<number>`count(*)`.as('total'),
      sql<string[] | null>`${withIds ? few : sql`null::uuid[]`}`.as('ids'),
    ])
    .executeTakeFirstOrThrow();
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
