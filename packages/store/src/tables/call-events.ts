import type { Severity } from '@calls/api-contract/rest/enums';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CallEventTable } from '../schema/call-tables.ts';
import type { Database } from '../store.ts';

export type CallEventRow = Selectable<CallEventTable>;

/** Records that an entry takes effect in this transaction; false if it already did. */
export async function claimEvent(
  db: Database,
  event: { callId: string; seq: number; type: string },
): Promise<boolean> {
  const row = await db
    .insertInto('call_event_log')
    .values({ call_id: event.callId, seq: event.seq, type: event.type })
    .onConflict((conflict) => conflict.doNothing())
    .returning('seq')
    .executeTakeFirst();
  return row !== undefined;
}

interface EntryRow {
  table: 'call_events' | 'call_messages';
  /** Values by column. */
  row: object;
  /** What to do if the table has the row. */
  onConflict?: RawBuilder<unknown>;
}

/**
 * Records that an entry takes effect, and inserts a row that is its only effect, in one statement: most entries of a
 * call are such. False if it already took effect; then the row is not inserted.
 */
export async function claimWithRow(
  db: Database,
  event: { callId: string; seq: number; type: string },
  { table, row, onConflict = sql`` }: EntryRow,
): Promise<boolean> {
  const columns = Object.keys(row);
  const listed = (names: readonly string[]): RawBuilder<unknown> =>
    sql.join(names.map((name) => sql.ref(name)));
  const { rows } = await sql<{ seq: number }>`
    with claimed as (
      insert into call_event_log (call_id, seq, type)
      values (${event.callId}, ${event.seq}, ${event.type})
      on conflict do nothing
      returning seq
    ), effect as (
      insert into ${sql.table(table)} (${listed(columns)})
      select ${listed(columns.map((name) => `effect_row.${name}`))}
      from claimed, jsonb_populate_record(null::${sql.table(table)}, ${asJson(row)}::jsonb) effect_row
      ${onConflict}
    )
    select seq from claimed`.execute(db);
  return rows.length > 0;
}

/** The same as `claimEvent` and `insertEvent` in a transaction. */
export function claimWithEvent(db: Database, type: string, event: CallEventRow): Promise<boolean> {
  return claimWithRow(
    db,
    { callId: event.call_id, seq: event.seq, type },
    { table: 'call_events', row: event },
  );
}

/** The highest sequence number that took effect; 0 if none. */
export async function lastEventSeq(db: Database, callId: string): Promise<number> {
  const row = await db
    .selectFrom('call_event_log')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .where('call_id', '=', callId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

export async function insertEvent(db: Database, event: CallEventRow): Promise<void> {
  await db
    .insertInto('call_events')
    .values({
      ...event,
      text: asText(event.text),
      type: asText(event.type),
      extras: event.extras && asJson(event.extras),
    })
    .execute();
}

export interface EventFilter {
  /** Only these severities; null for all. */
  severities: readonly Severity[] | null;
  type: string | null;
}

/** In chronological order. */
export function eventsOf(db: Database, callId: string, filter: EventFilter): PageSource<CallEventRow> {
  let query = db.selectFrom('call_events').selectAll().where('call_id', '=', callId);
  if (filter.severities) query = query.where('severity', 'in', filter.severities);
  if (filter.type !== null) query = query.where('type', '=', filter.type);
  return pagesOf(query, orderedBy('asc', 'seq'));
}
