import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import type { EndReason } from '@calls/api-contract/rest/enums';
import { sql } from 'kysely';
import type { Database } from '../store.ts';
import { filteredCalls } from './call-facts.ts';

/** Counts the matching calls that have ended by end reason, including deleted calls; the most frequent first. */
export function endReasons(
  db: Database,
  accountId: string,
  filters: CallFilters,
): Promise<{ end_reason: EndReason; calls: number }[]> {
  return filteredCalls(db, accountId, filters)
    .select([sql<EndReason>`end_reason`.as('end_reason'), sql<number>`count(*)`.as('calls')])
    .where(sql<boolean>`end_reason is not null`)
    .groupBy(sql`1`)
    .orderBy(sql`2 desc, 1`)
    .execute();
}

/** In milliseconds; null without turns. */
export interface TurnLatencyRow {
  turns: number;
  p50: number | null;
  p95: number | null;
}

/** Latency of the spoken turns in the newest `maxCalls` joined calls that match and are not deleted. */
export async function turnLatency(
  db: Database,
  accountId: string,
  filters: CallFilters,
  maxCalls: number,
): Promise<TurnLatencyRow> {
  const newest = filteredCalls(db, accountId, filters, 'active')
    .select('call_id')
    .where('joined_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(maxCalls);
  const { rows } = await sql<TurnLatencyRow>`
    with newest as materialized (${newest}), turns as (
      select coalesce(e.extras->>'firstSoundMs', e.extras->>'firstAudioSentMs')::float8 as ms
      from newest join call_events e using (call_id) where e.type = 'turn_latency'
    )
    select count(ms) as turns, percentile_cont(0.5) within group (order by ms) as p50,
      percentile_cont(0.95) within group (order by ms) as p95
    from turns`.execute(db);
  return rows[0] ?? { turns: 0, p50: null, p95: null };
}
