import type { CallFilters, CallSort } from '@calls/api-contract';
import { sql, type AliasableExpression } from 'kysely';
import { pagesOf, type CursorKey, type PageSource } from '../keyset.ts';
import type { Database } from '../store.ts';
import { filteredCalls } from './call-facts.ts';
import type { CallRow } from './calls.ts';

interface SortKey {
  column: 'created_at' | AliasableExpression<unknown>;
  keyOf: (row: CallRow) => string | number;
}

/** Live calls end last, and are the shortest. */
const SORT_KEYS: Record<'created' | 'ended' | 'duration', SortKey> = {
  created: { column: 'created_at', keyOf: (row) => row.created_at.toISOString() },
  ended: {
    column: sql`coalesce(ended_at, 'infinity')`,
    keyOf: (row) => row.ended_at?.toISOString() ?? 'infinity',
  },
  duration: { column: sql`coalesce(duration_ms, -1)`, keyOf: durationMs },
};

function durationMs({ joined_at: joined, ended_at: ended }: CallRow): number {
  if (!ended) return -1;
  return joined ? Math.max(0, ended.getTime() - joined.getTime()) : 0;
}

/** The account's calls that fit the filters, newest first where nothing else is asked for. */
export function callsOf(
  db: Database,
  accountId: string,
  filters: CallFilters = {},
  sort: CallSort = '-created',
): PageSource<CallRow> {
  const { column, keyOf } = SORT_KEYS[sort.replace('-', '') as keyof typeof SORT_KEYS];
  return pagesOf(
    filteredCalls(db, accountId, filters, 'are_kept').select('call_id'),
    {
      by: [column, 'call_id'],
      direction: sort.startsWith('-') ? 'desc' : 'asc',
      keyOf: (row): CursorKey => [keyOf(row), row.call_id],
    },
    (page) => db.selectFrom(page).innerJoin('calls', 'calls.call_id', 'page.call_id').selectAll('calls'),
  );
}
