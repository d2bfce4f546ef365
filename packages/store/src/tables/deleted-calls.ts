import { recordingKey, sipLogKey, traceKey } from '@calls/api-contract/call-objects';
import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import { newId } from '@calls/foundation/ids';
import { sql, type OperandValueExpressionOrList } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { Schema } from '../schema/index.ts';
import type { Database } from '../store.ts';
import { filteredCalls, type CallFactsRow } from './call-facts.ts';
import { insertOutbox } from './outbox.ts';

/**
 * Deletes an ended call with all its data, and schedules the deletion of its objects. Its facts remain. False
 * if there is no such call. Runs in the caller's transaction.
 */
export async function deleteEndedCall(
  tx: Database,
  call: { accountId: string; callId: string },
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('calls')
    .where('call_id', '=', call.callId)
    .where('account_id', '=', call.accountId)
    .where('ended_at', 'is not', null)
    .returning('recording_key')
    .executeTakeFirst();
  if (deleted) await deleteObjects(tx, objectKeysOf(call, deleted.recording_key));
  return deleted !== undefined;
}

/** The provider of a phone call to be transferred asks for the target, possibly more than once. */
const TRANSFER_GRACE_S = 30;

/**
 * Deletes up to `limit` billed calls that are not retained, if they ended at least `graceMs` ago. Returns
 * their number. Several processes may run this at the same time; a call and its object deletion job are in
 * one transaction.
 */
export function deleteBilledCalls(
  db: Database,
  { graceMs, limit }: { graceMs: number; limit: number },
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const due = tx
      .selectFrom('calls')
      .select('call_id')
      .where('retention_policy', '=', 'auto_delete')
      .where('ended_at', '<', sql<Date>`now() - make_interval(secs => ${graceMs / 1000}::float8)`)
      .where('billing_status', '<>', 'BILLING_STATUS_PENDING')
      .where((eb) =>
        eb.or([
          eb('transfer_to', 'is', null),
          eb('ended_at', '<', sql<Date>`now() - make_interval(secs => ${TRANSFER_GRACE_S}::float8)`),
        ]),
      )
      .orderBy('ended_at')
      .limit(limit)
      .forUpdate()
      .skipLocked();
    return deleteCalls(tx, due);
  });
}

/** Like `deleteBilledCalls`, but for calls of deleted accounts. */
export function deleteCallsOfDeletedAccounts(db: Database, limit: number): Promise<number> {
  return db.transaction().execute((tx) => {
    const due = tx
      .selectFrom('calls')
      .innerJoin('accounts', 'accounts.account_id', 'calls.account_id')
      .select('call_id')
      .where('accounts.deleted_at', 'is not', null)
      .where('ended_at', 'is not', null)
      .where('billing_status', '<>', 'BILLING_STATUS_PENDING')
      .limit(limit)
      .forUpdate('calls')
      .skipLocked();
    return deleteCalls(tx, due);
  });
}

async function deleteCalls(
  tx: Database,
  due: OperandValueExpressionOrList<Schema, 'calls', 'call_id'>,
): Promise<number> {
  const deleted = await tx
    .deleteFrom('calls')
    .where('call_id', 'in', due)
    .returning(['call_id', 'account_id', 'recording_key'])
    .execute();
  const keys = deleted.flatMap((row) =>
    objectKeysOf({ accountId: row.account_id, callId: row.call_id }, row.recording_key),
  );
  if (keys.length > 0) await deleteObjects(tx, keys);
  return deleted.length;
}

/** All objects that a call may have, including a recording that its worker stored without reporting it. */
export function objectKeysOf(
  call: { accountId: string; callId: string },
  recording: string | null,
): readonly string[] {
  return [recording ?? recordingKey(call), traceKey(call), sipLogKey(call)];
}

/** Schedules the deletion of objects that have no references left. */
export async function deleteObjects(tx: Database, keys: readonly string[]): Promise<void> {
  await insertOutbox(tx, newId(), { topic: 'job', payload: { kind: 'delete_objects', keys } });
}

export function deletedCallsOf(
  db: Database,
  accountId: string,
  filters: CallFilters,
): PageSource<CallFactsRow> {
  return pagesOf(
    filteredCalls(db, accountId, filters, 'deleted').selectAll(),
    orderedBy('desc', 'created_at', 'call_id'),
  );
}

export function findDeletedCall(
  db: Database,
  accountId: string,
  callId: string,
): Promise<CallFactsRow | undefined> {
  return filteredCalls(db, accountId, {}, 'deleted')
    .selectAll()
    .where('call_id', '=', callId)
    .executeTakeFirst();
}

/** The call of any account, for internal use. */
export async function isDeleted(db: Database, callId: string): Promise<boolean> {
  const row = await db
    .selectFrom('call_facts')
    .select('call_id')
    .where('call_id', '=', callId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}
