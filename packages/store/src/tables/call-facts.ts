import { durationToMs, type CallFilters } from '@calls/api-contract';
import { sql, type Expression, type SelectQueryBuilder, type Selectable, type SqlBool } from 'kysely';
import type { CallFactsTable } from '../schema/call-tables.ts';
import type { Schema } from '../schema/index.ts';
import type { Database } from '../store.ts';

export type CallFactsRow = Selectable<CallFactsTable>;
/** `all`: every call there ever was, for what is counted and billed. */
export type CallsThat = 'are_kept' | 'are_deleted' | 'ever_were';

/**
 * The facts of the account's calls that fit every filter; nothing is selected yet. docs/api-lists.md tells which index
 * serves which filter.
 */
export function filteredCalls(
  db: Database,
  accountId: string,
  filters: CallFilters,
  which: CallsThat = 'ever_were',
): SelectQueryBuilder<Schema, 'call_facts', object> {
  return conditionsOf(filters).reduce(
    (query, condition) => query.where(condition),
    db
      .selectFrom('call_facts')
      .where('account_id', '=', accountId)
      .$if(which === 'are_kept', (query) => query.where('deleted_at', 'is', null))
      .$if(which === 'are_deleted', (query) => query.where('deleted_at', 'is not', null)),
  );
}

function conditionsOf(filters: CallFilters): Expression<SqlBool>[] {
  const { agentIds, durationMin, durationMax, fromDate, toDate, metadata, search, voiceId } = filters;
  const conditions: Expression<SqlBool>[] = [];
  const add = (condition: Expression<SqlBool>): unknown => conditions.push(condition);
  if (agentIds) add(sql`agent_id = any(${agentIds}::uuid[])`);
  if (voiceId !== undefined) add(sql`voice_id = ${voiceId}`);
  // As numbers of a wider type than the column's: any duration may be asked for.
  if (durationMin !== undefined) add(sql`duration_ms >= ${durationToMs(durationMin)}::float8`);
  if (durationMax !== undefined) add(sql`duration_ms <= ${durationToMs(durationMax)}::float8`);
  if (fromDate !== undefined) add(sql`created_at >= ${new Date(fromDate)}`);
  if (toDate !== undefined) add(sql`created_at <= ${new Date(toDate)}`);
  const timeOfDay = timeOfDayCondition(filters);
  if (timeOfDay) add(timeOfDay);
  if (metadata) {
    const labels = Object.entries(metadata).map(([key, value]) => sql`call_label(${key}, ${value})`);
    if (labels.length > 0) add(sql`labels @> array[${sql.join(labels)}]`);
  }
  if (search !== undefined) {
    // Every word, the last by its beginning; text without words finds nothing.
    add(sql`words @@ (nullif(plainto_tsquery('simple', ${search})::text, '') || ':*')::tsquery`);
  }
  return conditions;
}

/** A range whose end is before its start goes over midnight. */
function timeOfDayCondition({ timeOfDayStart, timeOfDayEnd }: CallFilters): Expression<SqlBool> | null {
  if (timeOfDayStart === undefined && timeOfDayEnd === undefined) return null;
  const start = wholeTime(timeOfDayStart ?? '00:00:00');
  const end = wholeTime(timeOfDayEnd ?? '23:59:59.999999');
  const time = sql`(created_at at time zone 'UTC')::time`;
  return start <= end
    ? sql`${time} between ${start}::time and ${end}::time`
    : sql`(${time} >= ${start}::time or ${time} <= ${end}::time)`;
}

/** With all its digits: such times are in the order of their text. */
function wholeTime(time: string): string {
  const given = time.replace('Z', '');
  return given + '00:00:00.000000'.slice(given.length);
}
