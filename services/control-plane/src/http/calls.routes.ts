import {
  getCall,
  listCallEvents,
  listCallMessages,
  listCalls,
  startCall,
} from '@calls/api-contract/operations/calls.operations';
import type { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { requestIssues } from '@calls/call-lifecycle/creation/request-issues';
import type { Database } from '@calls/store/store';
import { eventsOf } from '@calls/store/tables/call-events';
import { callsOf } from '@calls/store/tables/call-lists';
import { inCallMessagesOf, lastStageMessagesOf } from '@calls/store/tables/call-messages';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import type { CallView } from '@calls/call-lifecycle/notifications/call-view';
import { eventView, messageView } from '../calls/record-views.ts';
import { severitiesFrom } from '../calls/severities.ts';
import type { ApiRouter } from './api-router.ts';
import { usableFilters } from './call-filters.ts';
import { orNotFound } from '../problems/problem.ts';

export interface CallRoutesDeps {
  db: Database;
  creator: CallCreator;
  callView: CallView;
}

export function callRoutes(api: ApiRouter, { db, creator, callView }: CallRoutesDeps): void {
  const ownCall = async (accountId: string, callId: string): Promise<CallRow> =>
    orNotFound('call', await findCall(db, accountId, callId));

  api
    .on(
      startCall,
      async ({ holder, fromConsole, query, body }) => {
        const { enableGreetingPrompt = true, priorCallId, throttle } = query;
        return callView(
          await creator.create({
            account: holder,
            body,
            greetingPromptEnabled: enableGreetingPrompt,
            priorCallId,
            throttle,
            fromConsole,
          }),
        );
      },
      { faults: requestIssues },
    )
    .list(listCalls, ({ accountId, query }) => ({
      source: callsOf(db, accountId, usableFilters(query), query.sort),
      item: callView,
    }))
    .on(getCall, async ({ accountId, params }) => callView(await ownCall(accountId, params.call_id)))
    .list(listCallMessages, async ({ accountId, params, query }) => {
      const { call_id: callId } = await ownCall(accountId, params.call_id);
      const messagesOf = query.mode === 'in_call' ? inCallMessagesOf : lastStageMessagesOf;
      return { source: messagesOf(db, callId), item: messageView };
    })
    .list(listCallEvents, async ({ accountId, params, query }) => {
      const { call_id: callId } = await ownCall(accountId, params.call_id);
      const severities = severitiesFrom(query.minimum_severity ?? 'info');
      return { source: eventsOf(db, callId, { severities, type: query.type ?? null }), item: eventView };
    });
}
