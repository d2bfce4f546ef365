import { getCall, listCallEvents, listCallMessages, listCalls, startCall } from '@calls/api-contract';
import { requestFaults, type CallCreator } from '@calls/call-creation';
import { callsOf, eventsOf, findCall, messagesOf, type CallRow, type Database } from '@calls/store';
import { callView, eventView, messageView } from '../calls/call-view.ts';
import { severitiesFrom } from '../calls/severities.ts';
import type { ApiRouter } from './api-router.ts';
import { orNotFound } from './problem.ts';

export interface CallRoutesParts {
  db: Database;
  creator: CallCreator;
  joinUrl: (call: CallRow) => Promise<string>;
}

export function callRoutes(api: ApiRouter, { db, creator, joinUrl }: CallRoutesParts): void {
  const view = async (row: CallRow) => callView(row, await joinUrl(row));
  const ownCall = async (accountId: string, callId: string): Promise<CallRow> =>
    orNotFound('call', await findCall(db, accountId, callId));

  api
    .on(
      startCall,
      async ({ holder, query, body }) => {
        const { enableGreetingPrompt = true } = query;
        const order = { account: holder, request: body, greetingPromptEnabled: enableGreetingPrompt };
        return view(await creator.create(order));
      },
      { faults: requestFaults },
    )
    .list(listCalls, ({ accountId }) => ({ source: callsOf(db, accountId), item: view }))
    .on(getCall, async ({ accountId, params }) => view(await ownCall(accountId, params.call_id)))
    .list(listCallMessages, async ({ accountId, params }) => {
      const { call_id: callId } = await ownCall(accountId, params.call_id);
      return { source: messagesOf(db, callId), item: messageView };
    })
    .list(listCallEvents, async ({ accountId, params, query }) => {
      const { call_id: callId } = await ownCall(accountId, params.call_id);
      const severities = severitiesFrom(query.minimum_severity ?? 'info');
      return { source: eventsOf(db, callId, { severities, type: query.type ?? null }), item: eventView };
    });
}
