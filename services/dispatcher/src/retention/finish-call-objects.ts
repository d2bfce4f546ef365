import { recordingKey, traceKey } from '@calls/api-contract/call-objects';
import { finishObject, type FinishDeps } from '@calls/object-storage/call-objects/finish-object';
import { recordingOf, storeRecording } from '@calls/object-storage/call-objects/recording-file';
import type { Database } from '@calls/store/store';
import { findCall, storeRecording as noteRecording } from '@calls/store/tables/calls';
import { deleteObjects } from '../delete-objects.ts';

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
