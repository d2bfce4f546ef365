import {
  getCall,
  listCallEvents,
  listCallMessages,
  listCalls,
  listCallSummaries,
  startCall,
} from '@calls/api-contract/operations/calls.operations';
import { getDeletedCall, listDeletedCalls } from '@calls/api-contract/operations/deleted-calls.operations';
import type { QueryOf } from '@calls/api-contract/operations/operation';
import { Severity } from '@calls/api-contract/rest/enums';
import type { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { requestIssues } from '@calls/call-lifecycle/creation/request-issues';
import type { CallSummaryView, CallView } from '@calls/call-lifecycle/notifications/views';
import type { ReadReplicas } from '@calls/store/read-replicas';
import type { Database } from '@calls/store/store';
import type { PageSource } from '@calls/store/keyset';
import { eventsOf } from '@calls/store/tables/call-events';
import { callsOf } from '@calls/store/tables/call-lists';
import { inCallMessagesOf, lastStageMessagesOf } from '@calls/store/tables/call-messages';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { deletedCallsOf, findDeletedCall } from '@calls/store/tables/deleted-calls';
import { eventView, messageView, tombstoneView } from '../calls/call-record-views.ts';
import { orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';
import { createCallOnce } from './idempotency-key.ts';
import { usableFilters } from './paging.ts';

export interface CallRoutesDeps {
  db: Database;
  readReplicas: ReadReplicas;
  creator: CallCreator;
  callView: CallView;
  callSummaryView: CallSummaryView;
}

export function callRoutes(api: ApiRouter, deps: CallRoutesDeps): void {
  const { db, readReplicas, creator, callView, callSummaryView } = deps;
  const ownCall = async (accountId: string, callId: string): Promise<CallRow> =>
    orNotFound('call', await findCall(db, accountId, callId));
  const callsFor = (accountId: string, query: QueryOf<typeof listCalls>): PageSource<CallRow> => {
    const filters = usableFilters(query);
    return readReplicas.list((replica) => callsOf(replica, accountId, filters, query.sort));
  };

  api
    .on(
      startCall,
      async (request) => {
        const { holder: account, fromConsole, query, body } = request;
        const { enableGreetingPrompt: greetingPromptEnabled = true, priorCallId, throttle } = query;
        const call = { account, body, greetingPromptEnabled, priorCallId, throttle, fromConsole };
        const row = await createCallOnce(db, request, (idempotency) =>
          creator.create({ ...call, ...idempotency }),
        );
        return callView(row);
      },
      { issues: requestIssues },
    )
    .list(listCalls, ({ accountId, query }) => ({ source: callsFor(accountId, query), item: callView }))
    .list(listCallSummaries, ({ accountId, query }) => ({
      source: callsFor(accountId, query),
      item: callSummaryView,
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

export function deletedCallRoutes(
  api: ApiRouter,
  { db, readReplicas }: Pick<CallRoutesDeps, 'db' | 'readReplicas'>,
): void {
  api
    .list(listDeletedCalls, ({ accountId, query }) => {
      const filters = usableFilters(query);
      return {
        source: readReplicas.list((replica) => deletedCallsOf(replica, accountId, filters)),
        item: tombstoneView,
      };
    })
    .on(getDeletedCall, async ({ accountId, params }) =>
      tombstoneView(orNotFound('deleted call', await findDeletedCall(db, accountId, params.call_id))),
    );
}

/** `minimum` and all higher severities; null if these are all severities. */
function severitiesFrom(minimum: Severity): readonly Severity[] | null {
  const index = Severity.enum.indexOf(minimum);
  return index <= 0 ? null : Severity.enum.slice(index);
}
