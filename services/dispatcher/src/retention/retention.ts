import { callOfObject, recordingKey, traceKey } from '@calls/api-contract/call-objects';
import type { Logger } from '@calls/foundation/logger';
import { finishObject, type FinishDeps } from '@calls/object-storage/call-objects/finish-object';
import { recordingOf, storeRecording } from '@calls/object-storage/call-objects/recording-file';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { Database } from '@calls/store/store';
import { findCall, storeRecording as noteRecording } from '@calls/store/tables/calls';
import { deleteOldAuditLogEntries } from '@calls/store/tables/audit-log';
import {
  deleteBilledCalls as deleteSome,
  deleteCallsOfDeletedAccounts,
} from '@calls/store/tables/deleted-calls';

/** Age from which unfinished objects count as abandoned: longer than a call may last. */
const ABANDONED_AFTER_MS = 24 * 3600_000;

/**
 * Handles objects that crashed processes left unfinished more than a day ago: completes those that a call
 * still needs and deletes the others.
 */
export async function clearUnfinished(
  deps: FinishDeps & { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock, log } = deps;
  let cleared = 0;
  for await (const object of storage.unfinished()) {
    if (signal.aborted) break;
    if (clock.wallMs() - object.changedAtMs < ABANDONED_AFTER_MS) continue;
    const call = callOfObject(object.key);
    if (call) await finishCallObjects(deps, call);
    await (await object.resume())?.abort();
    cleared += 1;
  }
  if (cleared > 0) log.info({ objects: cleared }, 'unfinished objects cleared');
}

/** How long after its end a call may still get events of its worker and of its callbacks. */
const GRACE_MS = 2000;
const BATCH = 20;
const AUDIT_LOG_BATCH = 1000;

/** Deletes the calls that are retained only until they are billed (AUTO_DELETE). */
export async function deleteBilledCalls(
  { db, log }: { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const deleted = await deleteSome(db, { graceMs: GRACE_MS, limit: BATCH });
    if (deleted > 0) log.info({ calls: deleted }, 'billed calls deleted');
    if (deleted < BATCH) return;
  }
}

/** Deletes the calls of deleted accounts, and the entries of the audit log that are older than its retention. */
export async function clearAdministration(
  { db, log, auditLogRetentionDays }: { db: Database; log: Logger; auditLogRetentionDays: number },
  signal: AbortSignal,
): Promise<void> {
  let deleted: number;
  do {
    deleted = await deleteCallsOfDeletedAccounts(db, BATCH);
    if (deleted > 0) log.info({ calls: deleted }, 'calls of deleted accounts deleted');
  } while (deleted === BATCH && !signal.aborted);
  const due = { olderThanDays: auditLogRetentionDays, limit: AUDIT_LOG_BATCH };
  const entries = await deleteOldAuditLogEntries(db, due);
  if (entries > 0) log.info({ entries }, 'old audit log entries deleted');
}

/**
 * Completes the objects of a call whose worker crashed, up to its last seconds, and records the recording's
 * key with the call. Idempotent. If the call is deleted, deletes its objects.
 */
export async function finishCallObjects(
  { db, ...parts }: FinishDeps & { db: Database },
  place: { accountId: string; callId: string },
): Promise<void> {
  const call = await findCall(db, place.accountId, place.callId);
  if (!call) {
    await deleteObjects(parts.storage, [recordingKey(place), traceKey(place)]);
    return;
  }
  await finishObject(parts, traceKey(place), (writer) => writer.commit());
  if (call.recording_key !== null || !call.settings.recordingEnabled) return;
  const key = recordingKey(place);
  // The worker, or an earlier run of this job, may have crashed between storing the object and reporting it.
  const whole = await parts.storage.stat(key);
  const recording = whole
    ? recordingOf(key, whole.bytes)
    : await finishObject(parts, key, (writer) => storeRecording(writer, key));
  if (recording) await noteRecording(db, place.callId, recording);
}

/** Deletes the objects and their unfinished uploads. A missing object counts as deleted. */
export async function deleteObjects(storage: ObjectStorage, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    for await (const left of storage.unfinished(key)) await (await left.resume())?.abort();
    await storage.delete(key);
  }
}
