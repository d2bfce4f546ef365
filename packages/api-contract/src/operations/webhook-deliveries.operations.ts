import { Type } from 'typebox';
import { Uuid } from '../rest/common.ts';
import { DeliveryStatus, WebhookDelivery } from '../rest/webhook-delivery.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Webhooks';
const path = '/api/webhook_deliveries/{delivery_id}';

export const listWebhookDeliveries = defineList({
  id: 'listWebhookDeliveries',
  path: '/api/webhook_deliveries',
  tag,
  summary: 'Lists what webhooks and callbacks of the account are or were told, newest first.',
  description:
    '`status=dead` lists what was given up. What was delivered is listed for a day, what is dead for 14.',
  filters: {
    status: Type.Optional(DeliveryStatus),
    webhookId: Type.Optional(Uuid),
    callId: Type.Optional(Uuid),
  },
  item: WebhookDelivery,
  itemName: 'WebhookDelivery',
});

export const getWebhookDelivery = defineOperation({
  id: 'getWebhookDelivery',
  method: 'GET',
  path,
  tag,
  summary: 'Gets a delivery to a webhook or callback.',
  status: 200,
  response: WebhookDelivery,
});

export const redeliverWebhookDelivery = defineOperation({
  id: 'redeliverWebhookDelivery',
  method: 'POST',
  path: '/api/webhook_deliveries/{delivery_id}/redeliver',
  tag,
  summary: 'Has a dead or pending delivery tried at once, and as often as a new one, under its id.',
  status: 200,
  response: WebhookDelivery,
  errorStatuses: [409],
});

export const webhookDeliveryOperations = [
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhookDelivery,
];
