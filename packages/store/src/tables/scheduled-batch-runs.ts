import { sql } from 'kysely';
import { asText } from '../as-json.ts';
import type { Database } from '../store.ts';
import { TERM_COLUMNS, type TermsRow } from './account-terms.ts';
import type { ScheduledBatchRow, ScheduledCallRow } from './scheduled-batches.ts';

/** A batch held by this process, with its account's permissions. */
export interface ClaimedBatch extends ScheduledBatchRow, TermsRow {
  /** When the reservation ends. */
  next_at: Date;
}

/**
 * Claims the batch that has been due longest for `claimMs`; no other process gets it during that time. Undefined if
 * none is due. Batches of suspended accounts wait.
 */
export function claimDueBatch(db: Database, claimMs: number): Promise<ClaimedBatch | undefined> {
  return db
    .with('batch', (cte) =>
      cte
        .updateTable('scheduled_batches')
        .set({ next_at: later(claimMs) })
        .where('batch_id', '=', (eb) =>
          eb
            .selectFrom('scheduled_batches')
            .select('batch_id')
            .where('ended_at', 'is', null)
            .where('next_at', '<=', sql<Date>`now()`)
            .where(
              (account) =>
                account
                  .selectFrom('accounts')
                  .select(sql<boolean>`suspended_at is null and deleted_at is null`.as('may_call'))
                  .whereRef('accounts.account_id', '=', 'scheduled_batches.account_id')
                  .$asScalar(),
              '=',
              true,
            )
            .orderBy('next_at')
            .limit(1)
            .forNoKeyUpdate()
            .skipLocked(),
        )
        .returningAll(),
    )
    .selectFrom('batch')
    .innerJoin('accounts', 'accounts.account_id', 'batch.account_id')
    .selectAll('batch')
    .select(TERM_COLUMNS)
    .$narrowType<{ next_at: Date }>()
    .executeTakeFirst();
}

/**
 * Releases a batch, which is due again after `delayMs` or at the end of its window. Leaves a batch that
 * changed meanwhile as it is.
 */
export async function releaseBatch(db: Database, batch: ClaimedBatch, delayMs: number): Promise<void> {
  await db
    .updateTable('scheduled_batches')
    .set({ next_at: sql<Date>`least(${later(delayMs)}, window_end)` })
    .where('batch_id', '=', batch.batch_id)
    .where('next_at', '=', batch.next_at)
    .execute();
}

/** The next calls of a batch, in their order. */
export function waitingCalls(db: Database, batchId: string, limit: number): Promise<ScheduledCallRow[]> {
  return db
    .selectFrom('scheduled_calls')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('state', '=', 'waiting')
    .orderBy('call_index')
    .limit(limit)
    .execute();
}

/** The result of a scheduled call. */
export type ScheduledCallEnd = { state: 'created'; callId: string } | { state: 'failed'; error: string };

/**
 * Completes a pending call of a running batch. Returns undefined, and the transaction must be rolled back, if
 * the call is no longer pending, or the batch is paused, deleted or outside its window. Until the transaction
 * ends, no other process completes a call of the batch.
 */
export async function endScheduledCall(
  tx: Database,
  call: { batchId: string; callIndex: number },
  end: ScheduledCallEnd,
): Promise<ScheduledBatchRow | undefined> {
  const batch = await countCompleted(tx, call.batchId, 1)
    .where('paused', '=', false)
    .where(
      sql<boolean>`coalesce(window_start, '-infinity') <= now() and now() < coalesce(window_end, 'infinity')`,
    )
    .executeTakeFirst();
  if (!batch) return undefined;
  const ended = await tx
    .updateTable('scheduled_calls')
    .set({
      state: end.state,
      call_id: end.state === 'created' ? end.callId : null,
      error: end.state === 'failed' ? asText(end.error) : null,
    })
    .where('batch_id', '=', call.batchId)
    .where('call_index', '=', call.callIndex)
    .where('state', '=', 'waiting')
    .returning('call_index')
    .executeTakeFirst();
  return ended && batch;
}

/** Expires the pending calls of a batch whose window has ended. Undefined if it has not, or no call is pending. */
export async function expireScheduledCalls(
  tx: Database,
  batchId: string,
): Promise<ScheduledBatchRow | undefined> {
  const over = await tx
    .selectFrom('scheduled_batches')
    .select('batch_id')
    .where('batch_id', '=', batchId)
    .where('ended_at', 'is', null)
    .where('window_end', '<=', sql<Date>`now()`)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!over) return undefined;
  const { numUpdatedRows } = await tx
    .updateTable('scheduled_calls')
    .set({ state: 'expired' })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow();
  return countCompleted(tx, batchId, Number(numUpdatedRows)).executeTakeFirst();
}

/** The last completed call ends its batch. */
function countCompleted(tx: Database, batchId: string, calls: number) {
  return tx
    .updateTable('scheduled_batches')
    .set((eb) => ({
      completed_count: eb('completed_count', '+', calls),
      ended_at: sql<Date | null>`case when completed_count + ${calls}::integer = total_count then now() end`,
    }))
    .where('batch_id', '=', batchId)
    .where('ended_at', 'is', null)
    .returningAll();
}

function later(delayMs: number) {
  return sql<Date>`now() + make_interval(secs => ${delayMs / 1000})`;
}
