import type { ObjectStorage } from '@calls/object-storage';
import type { CallRow, Database } from '@calls/store';
import { Router } from 'express';
import { onlyMethods } from './not-allowed.ts';
import { ownCall } from './own-call.ts';
import { HttpProblem, notFound } from './problem.ts';
import { sendObject } from './send-object.ts';

const RETRY_AFTER_SECONDS = 5;

/** The recording of a call that has ended: whole or, by `Range`, a part of it. */
export function recordingRoutes(db: Database, storage: ObjectStorage): Router {
  const router = Router();
  router
    .route('/api/calls/:callId/recording')
    .get(async (request, response) => {
      const call = await ownCall(db, response, request.params.callId);
      const object = await storage.open(recordingKeyOf(call));
      if (!object) throw notFound('recording');
      await sendObject(request, response, object, {
        contentType: 'audio/wav',
        fileName: `${call.call_id}.wav`,
        // Written once, never changed.
        etag: `"${call.call_id}"`,
      });
    })
    .all(onlyMethods('GET'));
  return router;
}

function recordingKeyOf(call: CallRow): string {
  if (call.recording_key !== null) return call.recording_key;
  if (call.ended_at !== null || !call.settings.recordingEnabled) throw notFound('recording');
  throw new HttpProblem(425, 'call_not_ended', 'The call has not ended; its recording is not complete.', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
