import { getCallRecording } from '@calls/api-contract/operations/calls.operations';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { Database } from '@calls/store/store';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import type { ApiRouter } from './api-router.ts';
import { HttpProblem, notFound, orNotFound } from '../problems/problem.ts';
import { sendObject } from './send-object.ts';

const RETRY_AFTER_SECONDS = 5;

/** Serves the recording of an ended call, whole or by `Range`, or redirects to the storage, which does so. */
export function recordingRoutes(
  api: ApiRouter,
  { db, storage }: { db: Database; storage: ObjectStorage },
): void {
  api.raw(getCallRecording, async ({ accountId, params, http }) => {
    const call = orNotFound('call', await findCall(db, accountId, params.call_id));
    const key = recordingKeyOf(call);
    const headers = { contentType: 'audio/wav', fileName: `${call.call_id}.wav` };
    // A link is for GET only.
    const link = http.request.method === 'HEAD' ? null : await storage.link(key, headers);
    if (link !== null) {
      orNotFound('recording', await storage.stat(key));
      http.response.set('Cache-Control', 'no-store').redirect(302, link);
      return;
    }
    const object = orNotFound('recording', await storage.open(key));
    // A recording is written once and never changes.
    await sendObject(http.request, http.response, object, { ...headers, etag: `"${call.call_id}"` });
  });
}

/** Throws if the call has no recording, or its recording is not complete. */
export function recordingKeyOf(call: CallRow): string {
  if (call.recording_key !== null) return call.recording_key;
  if (call.ended_at !== null || !call.settings.recordingEnabled) throw notFound('recording');
  throw callNotEnded('its recording is not complete');
}

export function callNotEnded(so: string): HttpProblem {
  return new HttpProblem(425, 'call_not_ended', `The call has not ended; ${so}.`, {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
