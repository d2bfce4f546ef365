import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../store.ts';
import { filteredCalls } from './call-facts.ts';

export interface CallCounts {
  calls: number;
  errors: number;
  joined: number;
  duration_ms: number;
  billed_ms: number;
}
/** Null for totals: the hour in a day's total, both in the overall total. */
export type CallUsageRow = CallCounts & { day: string | null; hour: number | null };

/** Billed time, without free minutes and refunded calls. */
const BILLED_MS = sql<number>`coalesce(sum(billed_duration_ms) filter (where billing_status = 'BILLING_STATUS_BILLED'), 0)`;
/** Day of the creation, in UTC. */
const DAY = sql`(created_at at time zone 'UTC')::date`;

/**
 * Counts the matching calls, including deleted ones, by hour, by day and in total. Days and hours without calls have no
 * row. Ordered by time, with the latest `maxDays` and `maxHours`.
 */
export async function callUsage(
  db: Database,
  accountId: string,
  filters: CallFilters,
  limits: { maxDays: number; maxHours: number },
): Promise<CallUsageRow[]> {
  const hourly = filteredCalls(db, accountId, filters)
    .select([
      sql`date_trunc('hour', created_at at time zone 'UTC')`.as('at'),
      sql`count(*)`.as('calls'),
      sql`count(*) filter (where end_reason in ('connection_error', 'system_error'))`.as('errors'),
      sql`count(joined_at)`.as('joined'),
      sql`coalesce(sum(duration_ms), 0)`.as('duration_ms'),
      BILLED_MS.as('billed_ms'),
    ])
    .groupBy(sql`1`);
  const total = (column: string): RawBuilder<number> =>
    sql`coalesce(sum(${sql.ref(column)}), 0)::bigint as ${sql.ref(column)}`;
  const columns = ['calls', 'errors', 'joined', 'duration_ms', 'billed_ms'];
  const { rows } = await sql<CallUsageRow>`
    with hourly as (${hourly}), totals as (
      select at::date as on_day, at, grouping(at::date) + grouping(at) as level, ${sql.join(columns.map(total))}
      from hourly group by rollup (at::date, at)
    ), ranked as (
      select *, row_number() over (partition by level order by on_day desc, at desc) as rank from totals
    )
    select on_day::text as day, extract(hour from at)::integer as hour, ${sql.join(columns.map((name) => sql.ref(name)))}
    from ranked where rank <= case level when 0 then ${limits.maxHours}::integer when 1 then ${limits.maxDays} else 1 end
    order by level desc, on_day, at`.execute(db);
  return rows;
}

export interface DayRow {
  day: string;
  billed_ms: number;
  sip_billed_ms: number;
}

/** Includes every day from `fromDay` to `toDay`, both inclusive. */
export async function billedByDay(
  db: Database,
  accountId: string,
  { fromDay, toDay }: { fromDay: string; toDay: string },
): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    with billed as (
      select ${DAY} as on_day, ${BILLED_MS} as billed_ms, sum(sip_billed_duration_ms) as sip_billed_ms from call_facts
      where account_id = ${accountId}
        and created_at >= ${fromDay}::date::timestamp at time zone 'UTC'
        and created_at < (${toDay}::date + 1)::timestamp at time zone 'UTC'
      group by 1
    )
    select on_day::text as day, coalesce(billed_ms, 0)::bigint as billed_ms,
      coalesce(sip_billed_ms, 0)::bigint as sip_billed_ms
    from generate_series(0, ${toDay}::date - ${fromDay}::date) as i,
      lateral (select ${fromDay}::date + i as on_day) as days
    left join billed using (on_day) order by on_day`.execute(db);
  return rows;
}

export interface AgentDayRow {
  agent_id: string;
  name: string;
  day: string;
  calls: number;
  billed_ms: number;
}

/**
 * Counts the matching calls by agent and day, including deleted calls and deleted agents; at most `limit` rows,
 * ordered.
 */
export async function agentUsage(
  db: Database,
  accountId: string,
  filters: CallFilters,
  limit: number,
): Promise<AgentDayRow[]> {
  const daily = filteredCalls(db, accountId, filters)
    .select(['agent_id', DAY.as('on_day'), sql`count(*)`.as('calls'), BILLED_MS.as('billed_ms')])
    .where('agent_id', 'is not', null)
    .groupBy(['agent_id', 'on_day']);
  const { rows } = await sql<AgentDayRow>`
    select agent_id, name, on_day::text as day, calls, billed_ms::bigint as billed_ms
    from (${daily}) as daily join agents using (agent_id)
    where agents.account_id = ${accountId}
    order by name, agent_id, on_day limit ${limit}`.execute(db);
  return rows;
}
