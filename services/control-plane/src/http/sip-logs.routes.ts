import { getCallSipLogs } from '@calls/api-contract/operations/calls.operations';
import type { LinkHeaders, ObjectStorage } from '@calls/object-storage/object-storage';
import type { Database } from '@calls/store/store';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { Router } from 'express';
import type { SipLogTokens } from '../sip/sip-log-tokens.ts';
import type { ApiRouter } from './api-router.ts';
import { cors } from './cors.ts';
import { onlyMethods } from './route-guards.ts';
import type { Paging } from './paging.ts';
import { HttpProblem, notFound, orNotFound } from '../problems/problem.ts';
import { callNotEnded } from './recordings.routes.ts';
import { sendObject } from './send-object.ts';

export interface SipLogRoutesDeps {
  db: Database;
  storage: ObjectStorage;
  sipLogTokens: SipLogTokens;
  paging: Pick<Paging, 'publicUrl'>;
}

/** Redirects to the SIP log of an ended call. */
export function sipLogRoutes(api: ApiRouter, { db, storage, sipLogTokens, paging }: SipLogRoutesDeps): void {
  api.raw(getCallSipLogs, async ({ accountId, params, http }) => {
    const call = orNotFound('call', await findCall(db, accountId, params.call_id));
    const link = await storage.link(sipLogKeyOf(call), sipLogHeaders(call.call_id));
    const token = sipLogTokens.issue({ accountId, callId: call.call_id });
    http.response.redirect(302, link ?? `${paging.publicUrl}/sip-logs/${token}`);
  });
}

/** Serves SIP logs. The URL is the permission for a few minutes. */
export function sipLogFileRoutes({ db, storage, sipLogTokens }: SipLogRoutesDeps): Router {
  const router = Router();
  const route = router.route('/sip-logs/:token');
  route.all(cors);
  route.get(async (request, response) => {
    const named = sipLogTokens.verify(request.params.token);
    if (!named)
      throw new HttpProblem(403, 'invalid_url', 'The URL is not valid or has expired; request a new one.');
    const { accountId, callId } = named;
    const call = orNotFound('call', await findCall(db, accountId, callId));
    const object = orNotFound('SIP log', await storage.open(sipLogKeyOf(call)));
    response.set('Cache-Control', 'no-store');
    await sendObject(request, response, object, {
      ...sipLogHeaders(callId),
      etag: `"${callId}-sip"`,
    });
  });
  route.all(onlyMethods('GET'));
  return router;
}

function sipLogHeaders(callId: string): LinkHeaders {
  return { contentType: 'text/plain; charset=utf-8', fileName: `${callId}-sip.txt` };
}

/** Throws if the call has no SIP log, or its log is not complete. */
function sipLogKeyOf(call: CallRow): string {
  if (call.sip_log_key !== null) return call.sip_log_key;
  if (call.settings.medium.sip && !call.ended_at) throw callNotEnded('its SIP logs are not complete');
  throw notFound('SIP log');
}
