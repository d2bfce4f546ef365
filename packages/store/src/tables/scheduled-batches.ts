import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type {
  ScheduledBatchTable,
  ScheduledCallState,
  ScheduledCallTable,
  StoredScheduledCall,
} from '../schema/scheduled-batch-tables.ts';
import type { Database } from '../store.ts';
import type { CallRow } from './calls.ts';

export type ScheduledBatchRow = Selectable<ScheduledBatchTable>;
export type ScheduledCallRow = Selectable<ScheduledCallTable>;

/** Settings of a batch chosen by its owner. */
export interface BatchSettings {
  windowStart: Date | null;
  windowEnd: Date | null;
  /** As given, with the id of the throttle it names. */
  throttle: { given: string; throttleId: string } | null;
  webhookUrl: string | null;
  /** Sealed. */
  webhookSecret: string | null;
  paused: boolean;
}

export interface NewBatch extends BatchSettings {
  batchId: string;
  accountId: string;
  agentId: string;
  createdAt: Date;
  requestDigest: string | null;
  calls: readonly StoredScheduledCall[];
}

/** Limits the size of a statement, so that the process can handle other work in between. */
const CALLS_PER_INSERT = 500;

function columnsOf(settings: BatchSettings) {
  const { windowStart, windowEnd, throttle, webhookUrl, webhookSecret, paused } = settings;
  return {
    window_start: windowStart,
    window_end: windowEnd,
    throttle: throttle?.given ?? null,
    throttle_id: throttle?.throttleId ?? null,
    webhook_url: webhookUrl,
    webhook_secret: webhookSecret,
    paused,
    // A paused batch still expires.
    next_at: paused ? windowEnd : (windowStart ?? sql<Date>`now()`),
  };
}

/** All or nothing. */
export function insertBatch(db: Database, batch: NewBatch): Promise<ScheduledBatchRow> {
  const { batchId, calls } = batch;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('scheduled_batches')
      .values({
        ...columnsOf(batch),
        batch_id: batchId,
        account_id: batch.accountId,
        agent_id: batch.agentId,
        created_at: batch.createdAt,
        request_digest: batch.requestDigest,
        total_count: calls.length,
        ended_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    for (let start = 0; start < calls.length; start += CALLS_PER_INSERT) {
      const some = calls.slice(start, start + CALLS_PER_INSERT);
      await sql`insert into scheduled_calls (batch_id, call_index, request)
        select ${batchId}, ${start}::integer + place - 1, request
        from jsonb_array_elements(${asJson(some)}::jsonb) with ordinality as given (request, place)`.execute(
        tx,
      );
    }
    return row;
  });
}

function ofAccount(db: Database, accountId: string) {
  return db.selectFrom('scheduled_batches').selectAll().where('account_id', '=', accountId);
}

function ofAgent(db: Database, accountId: string, agentId: string) {
  return ofAccount(db, accountId).where('agent_id', '=', agentId);
}

/** Newest first. */
export function batchesOf(db: Database, accountId: string, agentId: string): PageSource<ScheduledBatchRow> {
  return pagesOf(ofAgent(db, accountId, agentId), orderedBy('desc', 'created_at', 'batch_id'));
}

export interface BatchKey {
  accountId: string;
  agentId: string;
  batchId: string;
}

export function findBatch(db: Database, key: BatchKey): Promise<ScheduledBatchRow | undefined> {
  return ofAgent(db, key.accountId, key.agentId).where('batch_id', '=', key.batchId).executeTakeFirst();
}

/** Finds a batch of any agent of the account. */
export function findAnyBatch(
  db: Database,
  accountId: string,
  batchId: string,
): Promise<ScheduledBatchRow | undefined> {
  return ofAccount(db, accountId).where('batch_id', '=', batchId).executeTakeFirst();
}

/** Locks the batch and its call creation until the transaction ends. */
export function lockBatch(tx: Database, key: BatchKey): Promise<ScheduledBatchRow | undefined> {
  return ofAgent(tx, key.accountId, key.agentId)
    .where('batch_id', '=', key.batchId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Updates a batch that the transaction has locked. */
export function updateBatch(
  tx: Database,
  batchId: string,
  settings: BatchSettings,
): Promise<ScheduledBatchRow> {
  return tx
    .updateTable('scheduled_batches')
    .set(columnsOf(settings))
    .where('batch_id', '=', batchId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Also deletes its scheduled calls; created calls remain. False if there is no such batch. */
export async function deleteBatch(db: Database, key: BatchKey): Promise<boolean> {
  const deleted = await db
    .deleteFrom('scheduled_batches')
    .where('account_id', '=', key.accountId)
    .where('agent_id', '=', key.agentId)
    .where('batch_id', '=', key.batchId)
    .returning('batch_id')
    .executeTakeFirst();
  return deleted !== undefined;
}

/** In the order of the batch; `states` filters by state. */
export function scheduledCallsOf(
  db: Database,
  batchId: string,
  states: readonly ScheduledCallState[] | null,
): PageSource<ScheduledCallRow> {
  const all = db.selectFrom('scheduled_calls').selectAll().where('batch_id', '=', batchId);
  const wanted = states === null ? all : all.where(sql<boolean>`state = any(${states}::text[])`);
  return pagesOf(wanted, orderedBy('asc', 'call_index'));
}

/** The calls that a batch created and that are not deleted, newest first. */
export function callsOfBatch(db: Database, accountId: string, batchId: string): PageSource<CallRow> {
  const calls = db
    .selectFrom('calls')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('scheduled_batch_id', '=', batchId);
  return pagesOf(calls, orderedBy('desc', 'created_at', 'call_id'));
}
