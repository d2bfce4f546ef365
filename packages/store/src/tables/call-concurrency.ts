import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../store.ts';

export interface ConcurrencyRow {
  bucket_ms: number;
  max_total: number;
  max_joined: number;
  avg_total: number;
  avg_joined: number;
}

export interface ConcurrencyQuery {
  /** Start of the bucket. */
  startMs: number;
  /** End of the evaluated range; it may cut the last bucket short. */
  endMs: number;
  bucketMs: number;
}

/**
 * The maximum number of concurrent calls in each bucket from `startMs` to `endMs`: between creation and end,
 * and between join and end, the end excluded. Exact, as every change is evaluated. Includes deleted calls.
 */
export async function callConcurrency(
  db: Database,
  accountId: string,
  { startMs, endMs, bucketMs }: ConcurrencyQuery,
): Promise<ConcurrencyRow[]> {
  const { rows } = await sql<ConcurrencyRow>`
    with spans as materialized (
      select greatest(${epochMs('created_at')}, ${startMs}) as from_ms,
        case when joined_at < ${new Date(endMs)} then greatest(${epochMs('joined_at')}, ${startMs}) end as joined_ms,
        least(coalesce(${epochMs('ended_at')}, ${endMs}), ${endMs}) as to_ms
      from call_facts
      where account_id = ${accountId} and created_at < ${new Date(endMs)}
        and (ended_at is null or ended_at > ${new Date(startMs)})
    ), changes as (
      select from_ms as at, 1 as total, 0 as joined from spans
      union all select joined_ms, 0, 1 from spans where joined_ms is not null
      union all select to_ms, -1, case when joined_ms is null then 0 else -1 end from spans
      union all select ${startMs}::bigint + i * ${bucketMs}::bigint, 0, 0
        from generate_series(0, (${endMs}::bigint - ${startMs} - 1) / ${bucketMs}) as i
      union all select ${endMs}, 0, 0
    ), steps as (
      -- Of changes at the same moment only the last one lasts, and it has the sum of all.
      select at, lead(at) over in_order - at as lasts_ms,
        sum(total) over in_order as total, sum(joined) over in_order as joined
      from changes window in_order as (order by at rows unbounded preceding)
    )
    select (at - ${startMs}) / ${bucketMs} * ${bucketMs} + ${startMs} as bucket_ms,
      max(total)::integer as max_total, max(joined)::integer as max_joined,
      (sum(total * lasts_ms) / sum(lasts_ms))::float8 as avg_total,
      (sum(joined * lasts_ms) / sum(lasts_ms))::float8 as avg_joined
    from steps where lasts_ms > 0 group by bucket_ms order by bucket_ms`.execute(db);
  return rows;
}

function epochMs(column: string): RawBuilder<number> {
  // As a float: exact for milliseconds of this age, and much cheaper than `extract`.
  return sql`(date_part('epoch', ${sql.ref(column)}) * 1000)::bigint`;
}
