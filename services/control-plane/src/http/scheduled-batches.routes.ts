import {
  createScheduledBatch,
  deleteScheduledBatch,
  getScheduledBatch,
  listCallsOfBatch,
  listScheduledBatches,
  listScheduledCalls,
  updateScheduledBatch,
} from '@calls/api-contract/operations/scheduled-batches.operations';
import type { ChangedScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import { batchFacts } from '@calls/call-lifecycle/notifications/views';
import { findAgent, type AgentRow } from '@calls/store/tables/agents';
import {
  batchesOf,
  callsOfBatch,
  deleteBatch,
  findAnyBatch,
  findBatch,
  scheduledCallsOf,
  type BatchKey,
  type ScheduledBatchRow,
  type ScheduledCallRow,
} from '@calls/store/tables/scheduled-batches';
import {
  BatchService,
  windowIssues,
  type BatchServiceDeps,
  type WrittenBatch,
} from '../scheduled-batches/batch-service.ts';
import { scheduledCallView, statesOf } from '../scheduled-batches/batch-view.ts';
import type { ApiRouter } from './api-router.ts';
import type { BodyRules } from './body-reader.ts';
import type { CallRoutesDeps } from './calls.routes.ts';
import { createOnce } from './idempotency-key.ts';
import { orNotFound } from '../problems/problem.ts';

interface OfBatch {
  accountId: string;
  params: Readonly<Record<'agent_id' | 'batch_id', string>>;
}

export function scheduledBatchRoutes(
  api: ApiRouter,
  deps: BatchServiceDeps & Pick<CallRoutesDeps, 'callView' | 'readReplicas'>,
): void {
  const { db, readReplicas, clock, callView } = deps;
  const batches = new BatchService(deps);
  const windowRules: BodyRules = { issues: (body) => windowIssues(body, clock.wallMs()) };

  const ownAgent = async (accountId: string, agentId: string): Promise<AgentRow> =>
    orNotFound('agent', await findAgent(db, accountId, agentId));
  const keyOf = async ({ accountId, params }: OfBatch): Promise<BatchKey> => {
    const { agent_id: agentId } = await ownAgent(accountId, params.agent_id);
    return { accountId, agentId, batchId: params.batch_id };
  };
  const ownBatch = async (request: OfBatch): Promise<ScheduledBatchRow> =>
    orNotFound('scheduled batch', await findBatch(db, await keyOf(request)));

  api
    .list(listScheduledBatches, async ({ accountId, params }) => {
      const { agent_id: agentId } = await ownAgent(accountId, params.agent_id);
      return {
        source: batchesOf(db, accountId, agentId),
        item: batchFacts,
      };
    })
    .on(
      createScheduledBatch,
      async (request) => {
        const { accountId, params, body } = request;
        const agent = await ownAgent(accountId, params.agent_id);
        const find = (batchId: string): Promise<ScheduledBatchRow | undefined> =>
          findAnyBatch(db, accountId, batchId);
        const row = await createOnce(request, 'batch', find, (idempotency) =>
          batches.create(accountId, agent, body, idempotency),
        );
        return written(batches.created(row, body));
      },
      windowRules,
    )
    .on(getScheduledBatch, async (request) => batchFacts(await ownBatch(request)))
    .on(
      updateScheduledBatch,
      async (request) => {
        const changed = await batches.change(await keyOf(request), request.body);
        return written(orNotFound('scheduled batch', changed));
      },
      windowRules,
    )
    .on(deleteScheduledBatch, async (request) => {
      orNotFound('scheduled batch', await deleteBatch(db, await keyOf(request)));
    })
    .list(listCallsOfBatch, async (request) => {
      const { account_id: accountId, batch_id: batchId } = await ownBatch(request);
      return {
        source: readReplicas.list((replica) => callsOfBatch(replica, accountId, batchId)),
        item: callView,
      };
    })
    .list(listScheduledCalls, async (request) => {
      const batch = await ownBatch(request);
      const wallMs = clock.wallMs();
      const { status } = request.query;
      const states = status === undefined ? null : statesOf(status, batch, wallMs);
      return {
        source: readReplicas.list((replica) => scheduledCallsOf(replica, batch.batch_id, states)),
        item: (row: ScheduledCallRow) => scheduledCallView(row, batch, wallMs),
      };
    });
}

function written({ row, madeSecret }: WrittenBatch): ChangedScheduledCallBatch {
  return { ...batchFacts(row), ...(madeSecret !== null && { webhookSecret: madeSecret }) };
}
