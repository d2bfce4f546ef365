import {
  getWebhookDelivery,
  listWebhookDeliveries,
  redeliverWebhookDelivery,
} from '@calls/api-contract/operations/webhook-deliveries.operations';
import { testWebhook } from '@calls/api-contract/operations/webhooks.operations';
import type { WebhookDelivery } from '@calls/api-contract/rest/webhook-delivery';
import type { WebhookTestPayload } from '@calls/api-contract/rest/webhook-payload';
import {
  DELIVERY_LIMITS,
  enqueueDeliveries,
  openContent,
  sealContent,
  writeDeliveries,
} from '@calls/call-lifecycle/notifications/write-deliveries';
import { newId } from '@calls/foundation/ids';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { ReadReplicas } from '@calls/store/read-replicas';
import type { Database } from '@calls/store/store';
import {
  deliveriesOf,
  findDelivery,
  redeliver,
  type WebhookDeliveryRow,
} from '@calls/store/tables/webhook-deliveries';
import { findWebhook } from '@calls/store/tables/webhooks';
import { HttpProblem, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

export function webhookDeliveryRoutes(
  api: ApiRouter,
  { db, readReplicas, secretBox }: { db: Database; readReplicas: ReadReplicas; secretBox: SecretBox },
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
    .on(getWebhookDelivery, async ({ accountId, params }) => {
      const row = await own(accountId, params.delivery_id);
      const payload = row.content === null ? null : openContent(secretBox, accountId, row.content).body;
      return { ...deliveryView(row), payload };
    })
    .on(testWebhook, async ({ accountId, params }) => {
      const webhook = orNotFound('webhook', await findWebhook(db, accountId, params.webhook_id));
      const { webhook_id: webhookId, url } = webhook;
      const event = 'webhook.test';
      const body = JSON.stringify({ event, webhookId } satisfies WebhookTestPayload);
      const deliveryId = newId();
      const delivery = { deliveryId, accountId, receiverId: webhookId, webhookId, callId: null, event, url };
      const content = sealContent(secretBox, accountId, { body, secrets: [] });
      await db.transaction().execute((tx) => writeDeliveries(tx, [{ ...delivery, step: 0, content }]));
      return deliveryView(await own(accountId, deliveryId));
    })
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
