import { isUuid } from '@calls/foundation/schema/objects';
import { durationToMs } from '@calls/api-contract/duration';
import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import {
  sql,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type Selectable,
  type SqlBool,
} from 'kysely';
import type { CallFactsTable } from '../schema/call-tables.ts';
import type { Schema } from '../schema/index.ts';
import type { Database } from '../store.ts';
import { analysisLabel } from './call-analyses.ts';

export type CallFactsRow = Selectable<CallFactsTable>;
/** `all` includes deleted calls, for counting and billing. */
export type CallScope = 'active' | 'deleted' | 'all';

/**
 * How calls are found by metadata and search: always in those indexes, or, if the query has an order and a
 * limit, by the planner's estimate. A subquery hides the value from the planner, which then expects few
 * matches.
 */
export type FilterPlan = 'look_up' | 'estimate';

/**
 * The facts of the account's calls that match every filter; selects nothing yet. docs/internals/call-lists.md
 * says which index serves which filter.
 */
export function filteredCalls(
  db: Database,
  accountId: string,
  filters: CallFilters,
  which: CallScope = 'all',
  plan: FilterPlan = 'look_up',
): SelectQueryBuilder<Schema, 'call_facts', object> {
  return conditionsOf(accountId, filters, plan).reduce(
    (query, condition) => query.where(condition),
    db
      .selectFrom('call_facts')
      .where('account_id', '=', accountId)
      .$if(which === 'active', (query) => query.where('deleted_at', 'is', null))
      .$if(which === 'deleted', (query) => query.where('deleted_at', 'is not', null)),
  );
}

/** The expression used by its index. */
export const DURATION_MS = sql<number>`coalesce(duration_ms, -1)`;
const MAX_COLUMN_MS = 2_147_483_647;

function conditionsOf(accountId: string, filters: CallFilters, plan: FilterPlan): Expression<SqlBool>[] {
  const { agentIds, durationMin, durationMax, fromDate, toDate, metadata, search, voiceId, endReasons } =
    filters;
  const conditions: Expression<SqlBool>[] = [];
  const add = (condition: Expression<SqlBool>): unknown => conditions.push(condition);
  if (agentIds) add(sql`agent_id = any(${agentIds}::uuid[])`);
  if (voiceId !== undefined) add(sql`voice_id = ${voiceId}`);
  if (endReasons) add(sql`end_reason = any(${endReasons}::text[])`);
  // Calls without a duration have -1 in this expression.
  if (durationMin !== undefined)
    add(sql`${DURATION_MS} >= ${inColumn(Math.ceil(durationToMs(durationMin)), 0)}`);
  if (durationMax !== undefined) {
    add(sql`${DURATION_MS} between 0 and ${inColumn(Math.floor(durationToMs(durationMax)), -1)}`);
  }
  if (fromDate !== undefined) add(sql`created_at >= ${new Date(fromDate)}`);
  if (toDate !== undefined) add(sql`created_at <= ${new Date(toDate)}`);
  const timeOfDay = timeOfDayCondition(filters);
  if (timeOfDay) add(timeOfDay);
  const value = (built: RawBuilder<unknown>) => (plan === 'look_up' ? sql`(select ${built})` : built);
  const labels = Object.entries(metadata ?? {}).map(
    ([key, text]) => sql`call_label(${accountId}, ${key}, ${text})`,
  );
  if (labels.length > 0) add(sql`labels @> ${value(sql`array[${sql.join(labels)}]`)}`);
  const found = analysisConditions(filters).map(
    ([label, text]) => sql`call_label(${accountId}, ${label}, ${text})`,
  );
  if (found.length > 0) add(sql`analysis_labels @> ${value(sql`array[${sql.join(found)}]`)}`);
  if (search !== undefined) {
    const words = sql<SqlBool>`call_words(account_id, said) @@ ${value(sql`call_search(${accountId}, ${search})`)}`;
    add(isUuid(search.trim()) ? sql`(call_id = ${search.trim()}::uuid or ${words})` : words);
  }
  return conditions;
}

function analysisConditions({
  analysisOutcome,
  analysisCriteria = {},
  analysisData = {},
}: CallFilters): [string, string][] {
  return [
    ...(analysisOutcome ? [[analysisLabel.outcome, analysisOutcome] satisfies [string, string]] : []),
    ...Object.entries(analysisCriteria).map(([name, outcome]): [string, string] => [
      analysisLabel.criterion(name),
      outcome,
    ]),
    ...Object.entries(analysisData).map(([field, text]): [string, string] => [
      analysisLabel.data(field),
      text,
    ]),
  ];
}

/** Requests may name any duration; the column has 32 bits. */
function inColumn(ms: number, leastMs: number): number {
  return Math.min(Math.max(ms, leastMs), MAX_COLUMN_MS);
}

/** A range whose end is before its start spans midnight. */
function timeOfDayCondition({ timeOfDayStart, timeOfDayEnd }: CallFilters): Expression<SqlBool> | null {
  if (timeOfDayStart === undefined && timeOfDayEnd === undefined) return null;
  const start = wholeTime(timeOfDayStart ?? '00:00:00');
  const end = wholeTime(timeOfDayEnd ?? '23:59:59.999999');
  return start <= end
    ? sql`time_of_day between ${start} and ${end}`
    : sql`(time_of_day >= ${start} or time_of_day <= ${end})`;
}

/** A time with all digits, so that times sort as text. */
function wholeTime(time: string): string {
  const given = time.replace('Z', '');
  return given + '00:00:00.000000'.slice(given.length);
}
