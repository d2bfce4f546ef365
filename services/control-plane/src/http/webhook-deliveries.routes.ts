import {
  getWebhookDelivery,
  listWebhookDeliveries,
  redeliverWebhookDelivery,
} from '@calls/api-contract/operations/webhook-deliveries.operations';
import type { WebhookDelivery } from '@calls/api-contract/rest/webhook-delivery';
import { DELIVERY_LIMITS, enqueueDeliveries } from '@calls/call-lifecycle/notifications/write-deliveries';
import type { ReadReplicas } from '@calls/store/read-replicas';
import type { Database } from '@calls/store/store';
import {
  deliveriesOf,
  findDelivery,
  redeliver,
  type WebhookDeliveryRow,
} from '@calls/store/tables/webhook-deliveries';
import { HttpProblem, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

export function webhookDeliveryRoutes(
  api: ApiRouter,
  { db, readReplicas }: { db: Database; readReplicas: ReadReplicas },
): void {
  const own = async (accountId: string, deliveryId: string): Promise<WebhookDeliveryRow> =>
    orNotFound('delivery', await findDelivery(db, accountId, deliveryId));

  const tryAgain = async (accountId: string, deliveryId: string): Promise<WebhookDelivery> => {
    await own(accountId, deliveryId);
    const row = await db.transaction().execute(async (tx) => {
      const pending = await redeliver(tx, accountId, deliveryId, DELIVERY_LIMITS);
      if (pending) await enqueueDeliveries(tx, [pending.receiver_id]);
      return pending;
    });
    if (row) return deliveryView(row);
    throw new HttpProblem(
      409,
      'already_delivered',
      'The delivery was acknowledged, so its content is no longer stored.',
    );
  };

  api
    .list(listWebhookDeliveries, ({ accountId, query: { status, webhookId, callId } }) => ({
      source: readReplicas.list((replica) => deliveriesOf(replica, accountId, { status, webhookId, callId })),
      item: deliveryView,
    }))
    .on(getWebhookDelivery, async ({ accountId, params }) =>
      deliveryView(await own(accountId, params.delivery_id)),
    )
    .on(redeliverWebhookDelivery, ({ accountId, params }) => tryAgain(accountId, params.delivery_id));
}

function deliveryView(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    callId: row.call_id,
    event: row.event,
    url: row.url,
    status: row.status,
    created: row.created_at.toISOString(),
    attempts: row.attempts,
    lastAttempt: row.last_attempt_at?.toISOString() ?? null,
    lastFailure: row.last_failure,
    nextAttempt: row.status === 'pending' ? row.due_at.toISOString() : null,
    finished: row.finished_at?.toISOString() ?? null,
  };
}
