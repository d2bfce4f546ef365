import { compileQueryValidator, PageQuery, Severity, StartCallQuery } from '@calls/api-contract';
import {
  countCalls,
  countEvents,
  countMessages,
  listCalls,
  listEvents,
  listMessages,
  type CallRow,
  type Database,
} from '@calls/store';
import { Router } from 'express';
import { Type } from 'typebox';
import { callView, eventView, messageView } from '../calls/call-view.ts';
import type { CallCreator } from '../calls/create-call.ts';
import { severitiesFrom } from '../calls/severities.ts';
import { holderOf } from './authentication.ts';
import { bodyOf } from './json-body.ts';
import { onlyMethods } from './not-allowed.ts';
import { ownCall } from './own-call.ts';
import { answerPage, readQuery, type Paging } from './query.ts';

const startQuery = compileQueryValidator(StartCallQuery);
const listQuery = compileQueryValidator(PageQuery);
const eventsQuery = compileQueryValidator(
  Type.Object(
    {
      ...PageQuery.properties,
      minimum_severity: Type.Optional(Severity),
      type: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
    },
    { additionalProperties: false },
  ),
);

export interface CallRoutesParts {
  db: Database;
  paging: Paging;
  creator: CallCreator;
  joinUrl: (call: CallRow) => Promise<string>;
}

export function callRoutes({ db, paging, creator, joinUrl }: CallRoutesParts): Router {
  const router = Router();
  const view = async (row: CallRow) => callView(row, await joinUrl(row));

  router
    .route('/api/calls')
    .post(async (request, response) => {
      const { enableGreetingPrompt = true } = readQuery(request, startQuery);
      const { accountId } = holderOf(response);
      const call = await creator.create(accountId, bodyOf(request), {
        greetingPromptEnabled: enableGreetingPrompt,
      });
      response.status(201).json(await view(call));
    })
    .get(async (request, response) => {
      const query = readQuery(request, listQuery);
      const { accountId } = holderOf(response);
      const page = await answerPage(
        paging,
        request,
        query,
        `calls of ${accountId}`,
        {
          fetch: ({ from, direction, limit }) =>
            listCalls(db, accountId, {
              from: from && { createdAtMs: Number(from[0]), callId: String(from[1]) },
              direction,
              limit,
            }),
          count: () => countCalls(db, accountId),
          keyOf: (row) => [row.created_at.getTime(), row.call_id],
        },
        view,
      );
      response.json(page);
    })
    .all(onlyMethods('GET', 'POST'));

  router
    .route('/api/calls/:callId')
    .get(async (request, response) => {
      const call = await ownCall(db, response, request.params.callId);
      response.json(await view(call));
    })
    .all(onlyMethods('GET'));

  router
    .route('/api/calls/:callId/messages')
    .get(async (request, response) => {
      const query = readQuery(request, listQuery);
      const { call_id: callId } = await ownCall(db, response, request.params.callId);
      const page = await answerPage(
        paging,
        request,
        query,
        `messages of ${callId}`,
        {
          fetch: ({ from, direction, limit }) =>
            listMessages(db, callId, { fromSeq: from && Number(from[0]), direction, limit }),
          count: () => countMessages(db, callId),
          keyOf: (row) => [row.seq],
        },
        messageView,
      );
      response.json(page);
    })
    .all(onlyMethods('GET'));

  router
    .route('/api/calls/:callId/events')
    .get(async (request, response) => {
      const query = readQuery(request, eventsQuery);
      const { call_id: callId } = await ownCall(db, response, request.params.callId);
      const filter = {
        severities: severitiesFrom(query.minimum_severity ?? 'info'),
        type: query.type ?? null,
      };
      const page = await answerPage(
        paging,
        request,
        query,
        `events of ${callId}`,
        {
          fetch: ({ from, direction, limit }) =>
            listEvents(db, callId, filter, { fromSeq: from && Number(from[0]), direction, limit }),
          count: () => countEvents(db, callId, filter),
          keyOf: (row) => [row.seq],
        },
        eventView,
      );
      response.json(page);
    })
    .all(onlyMethods('GET'));

  return router;
}
