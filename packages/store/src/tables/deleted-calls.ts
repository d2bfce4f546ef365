import type { CallFilters } from '@calls/api-contract';
import { newId } from '@calls/foundation';
import { pagesOf, type PageSource } from '../keyset.ts';
import type { Database } from '../store.ts';
import { filteredCalls, type CallFactsRow } from './call-facts.ts';
import { insertOutbox } from './outbox.ts';

/**
 * Deletes a call that has ended with all it left, and orders the deletion of its recording; its facts stay. False where
 * there is no such call. In the caller's transaction.
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
  if (deleted?.recording_key != null) await deleteObjects(tx, [deleted.recording_key]);
  return deleted !== undefined;
}

/** Orders the deletion of objects that nothing refers to any more. */
export async function deleteObjects(tx: Database, keys: readonly string[]): Promise<void> {
  await insertOutbox(tx, newId(), { topic: 'job', payload: { kind: 'delete_objects', keys } });
}

export function deletedCallsOf(
  db: Database,
  accountId: string,
  filters: CallFilters,
): PageSource<CallFactsRow> {
  return pagesOf(filteredCalls(db, accountId, filters, 'are_deleted').selectAll(), {
    by: ['created_at', 'call_id'],
    direction: 'desc',
    keyOf: (row) => [row.created_at.toISOString(), row.call_id],
  });
}

export function findDeletedCall(
  db: Database,
  accountId: string,
  callId: string,
): Promise<CallFactsRow | undefined> {
  return filteredCalls(db, accountId, {}, 'are_deleted')
    .selectAll()
    .where('call_id', '=', callId)
    .executeTakeFirst();
}

/** Whoever's it was: for what the service does by itself. */
export async function isDeleted(db: Database, callId: string): Promise<boolean> {
  const row = await db
    .selectFrom('call_facts')
    .select('call_id')
    .where('call_id', '=', callId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}
