import type { SentMessage } from '@calls/api-contract/bus/call-commands';
import {
  analyzeCall as analyzeOperation,
  deleteCall as deleteOperation,
  sendCallDataMessage,
  superviseCall as superviseOperation,
} from '@calls/api-contract/operations/calls.operations';
import { dataMessageIssues } from '@calls/api-contract/rest/send-data-message';
import { findCall } from '@calls/store/tables/calls';
import { analyzeCall, type AnalyzeCallDeps } from '../calls/analyze-call.ts';
import { deleteCall, type DeleteCallDeps } from '../calls/delete-call.ts';
import { superviseCall, type SuperviseCallDeps } from '../calls/supervise-call.ts';
import type { ApiRouter } from './api-router.ts';
import { HttpProblem, orNotFound } from '../problems/problem.ts';

/** Commands for calls; those for live calls are executed by the worker that holds the call. */
export function callCommandRoutes(
  api: ApiRouter,
  deps: DeleteCallDeps & SuperviseCallDeps & AnalyzeCallDeps,
): void {
  api
    .on(analyzeOperation, ({ accountId, params }) => analyzeCall(deps, { accountId, callId: params.call_id }))
    .on(deleteOperation, ({ accountId, params }) => deleteCall(deps, { accountId, callId: params.call_id }))
    .on(superviseOperation, ({ accountId, params, body }) =>
      superviseCall(deps, { accountId, callId: params.call_id }, body),
    )
    .on(
      sendCallDataMessage,
      async ({ accountId, params, body }) => {
        const find = () => findCall(deps.db, accountId, params.call_id);
        const call = orNotFound('call', await find());
        // The body is already validated against the schema of its type.
        const message = body as SentMessage;
        const reply = call.ended_at
          ? null
          : await deps.bus.commands
              .send(call.call_id, { kind: 'send_message', message })
              .catch(async (thrown: unknown) => {
                // The worker does not reply if the call ends in the meantime.
                if ((await find())?.ended_at) return null;
                throw thrown;
              });
        if (reply?.outcome === 'accepted') return;
        throw new HttpProblem(
          422,
          'call_not_live',
          'The call is not live: it has not been joined, its client is disconnected, or it has ended.',
        );
      },
      { issues: dataMessageIssues },
    );
}
