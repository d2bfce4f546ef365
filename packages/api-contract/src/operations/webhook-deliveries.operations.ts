import { described } from '@calls/foundation/schema/annotations';
import { Uuid } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { DeliveryStatus, WebhookDelivery, WebhookDeliveryDetails } from '../rest/webhook-delivery.ts';
import { pageOf } from './examples/example-values.ts';
import { webhookDelivery } from './examples/webhooks.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Webhooks';
const path = '/api/webhook_deliveries/{delivery_id}';

export const listWebhookDeliveries = defineList({
  id: 'listWebhookDeliveries',
  path: '/api/webhook_deliveries',
  tag,
  summary: 'List webhook deliveries',
  description:
    'Returns deliveries to webhooks and callbacks of the account, newest first. Delivered ones are listed for one day, dead ones for 14 days.',
  example: { query: { status: 'dead' }, response: pageOf(webhookDelivery) },
  filters: {
    status: Type.Optional(DeliveryStatus),
    webhookId: Type.Optional(described(Uuid, 'Deliveries to this webhook.')),
    callId: Type.Optional(described(Uuid, 'Deliveries about this call.')),
  },
  item: WebhookDelivery,
  itemName: 'WebhookDelivery',
});

export const getWebhookDelivery = defineOperation({
  id: 'getWebhookDelivery',
  method: 'GET',
  path,
  tag,
  summary: 'Get a webhook delivery',
  description:
    'Returns the delivery of an event with its attempts and, until it is acknowledged, its content.',
  example: { response: { ...webhookDelivery, payload: '{"event":"call.ended","call":{}}' } },
  status: 200,
  response: WebhookDeliveryDetails,
});

export const redeliverWebhookDelivery = defineOperation({
  id: 'redeliverWebhookDelivery',
  method: 'POST',
  path: '/api/webhook_deliveries/{delivery_id}/redeliver',
  tag,
  summary: 'Retry a webhook delivery',
  description:
    'Attempts a pending or dead delivery again immediately, with as many retries as a new one. Fails with 409 `already_delivered` if it was acknowledged.',
  example: {
    response: {
      ...webhookDelivery,
      status: 'pending',
      finished: null,
      nextAttempt: '2026-03-02T09:30:00.000Z',
    },
  },
  status: 200,
  response: WebhookDelivery,
  errorStatuses: [409],
});

export const webhookDeliveryOperations = [
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhookDelivery,
];
