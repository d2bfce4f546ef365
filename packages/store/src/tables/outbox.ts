import { currentTraceparent } from '@calls/foundation/trace-context';
import { sql } from 'kysely';
import { asJson } from '../as-json.ts';
import type { OutboxMessage, OutboxTopic } from '../schema/outbox.ts';
import type { Database } from '../store.ts';

export interface OutboxEntry {
  outboxId: string;
  topic: OutboxTopic;
  /** As written; validate it before use, because another version may have written it. */
  payload: unknown;
  attempts: number;
  ageMs: number;
  /** The `traceparent` of what caused it, if anything did. */
  trace: string | null;
}

/** Inserts a message with the current trace. `delayMs`: how long the row cannot be claimed. */
export async function insertOutbox(
  db: Database,
  outboxId: string,
  message: OutboxMessage,
  delayMs = 0,
): Promise<void> {
  await insertOutboxRows(db, [{ outboxId, message }], delayMs);
}

/** Inserts several messages in one statement. */
export async function insertOutboxRows(
  db: Database,
  rows: readonly { outboxId: string; message: OutboxMessage }[],
  delayMs = 0,
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('outbox')
    .values(
      rows.map(({ outboxId, message }) => ({
        outbox_id: outboxId,
        topic: message.topic,
        payload: asJson(message.payload),
        trace: currentTraceparent() ?? null,
        due_at: sql<Date>`now() + make_interval(secs => ${delayMs / 1000})`,
      })),
    )
    .execute();
}

/**
 * Claims due rows for `claimMs`, oldest first; no other process gets them during that time. Delete them when they are
 * sent; the others become due again.
 */
export async function claimOutbox(
  db: Database,
  options: { topic: OutboxTopic; claimMs: number; limit: number },
): Promise<OutboxEntry[]> {
  const rows = await db
    .updateTable('outbox')
    .set((eb) => ({
      attempts: eb('attempts', '+', 1),
      due_at: sql<Date>`now() + make_interval(secs => ${options.claimMs / 1000})`,
    }))
    .where('outbox_id', 'in', (eb) =>
      eb
        .selectFrom('outbox')
        .select('outbox_id')
        .where('topic', '=', options.topic)
        .where('due_at', '<=', sql<Date>`now()`)
        .orderBy('due_at')
        .limit(options.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning([
      'outbox_id',
      'topic',
      'payload',
      'attempts',
      'trace',
      sql<number>`(extract(epoch from now() - created_at) * 1000)::float8`.as('age_ms'),
    ])
    .execute();
  return rows
    .map((row) => ({
      outboxId: row.outbox_id,
      topic: row.topic,
      payload: row.payload,
      attempts: row.attempts,
      ageMs: row.age_ms,
      trace: row.trace,
    }))
    .sort((a, b) => (a.outboxId < b.outboxId ? -1 : 1));
}

export async function deleteOutbox(db: Database, outboxIds: readonly string[]): Promise<void> {
  if (outboxIds.length === 0) return;
  await db.deleteFrom('outbox').where('outbox_id', 'in', outboxIds).execute();
}

export interface OutboxDepth {
  topic: OutboxTopic;
  rows: number;
  /** Age of the row that has been due longest. */
  dueForMs: number;
}

/** For both topics, even if nothing waits. */
export async function countOutbox(db: Database): Promise<OutboxDepth[]> {
  const { rows } = await sql<OutboxDepth>`
    select topic, count(due_at) as rows,
      greatest(0, coalesce(extract(epoch from now() - min(due_at)) * 1000, 0))::float8 as "dueForMs"
    from unnest(array['created_call', 'job']) as topic left join outbox using (topic) group by topic`.execute(
    db,
  );
  return rows;
}
