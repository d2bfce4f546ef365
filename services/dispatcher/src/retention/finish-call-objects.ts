import { recordingKey, traceKey } from '@calls/api-contract/call-objects';
import { finishObject, type FinishDeps } from '@calls/object-storage/call-objects/finish-object';
import { recordingOf, storeRecording } from '@calls/object-storage/call-objects/recording-file';
import type { Database } from '@calls/store/store';
import { findCall, storeRecording as noteRecording } from '@calls/store/tables/calls';
import { deleteObjects } from '../delete-objects.ts';

/**
 * Makes whole what a worker that died left of a call, up to its last seconds, and notes the recording with the call. Does
 * nothing twice. Where the call is deleted, so are its objects.
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
  // The worker may have died between storing it and telling of it, or the one that ran this before.
  const whole = await parts.storage.stat(key);
  const recording = whole
    ? recordingOf(key, whole.bytes)
    : await finishObject(parts, key, (writer) => storeRecording(writer, key));
  if (recording) await noteRecording(db, place.callId, recording);
}
