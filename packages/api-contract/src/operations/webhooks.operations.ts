import { Pattern } from '@calls/foundation/schema/annotations';
import { UUID_PATTERN } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { CreatedWebhook, Webhook } from '../rest/webhook.ts';
import { WebhookDelivery } from '../rest/webhook-delivery.ts';
import { exampleIds, pageOf } from './examples/example-values.ts';
import { webhook, webhookDelivery } from './examples/webhooks.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Webhooks';
const path = '/api/webhooks/{webhook_id}';

export const listWebhooks = defineList({
  id: 'listWebhooks',
  path: '/api/webhooks',
  tag,
  summary: 'List webhooks',
  description: 'Returns the webhooks of the account, newest first.',
  example: { query: { agentId: exampleIds.agent }, response: pageOf(webhook) },
  filters: {
    agentId: Type.Optional(
      Pattern(`^(null|${UUID_PATTERN})$`, 'must be the id of an agent, or `null`', {
        description: 'Webhooks of one agent; `null`: those for all calls.',
      }),
    ),
  },
  item: Webhook.Response,
  itemName: 'Webhook',
});

export const createWebhook = defineOperation({
  id: 'createWebhook',
  method: 'POST',
  path: '/api/webhooks',
  tag,
  summary: 'Create a webhook',
  description:
    'Subscribes a URL to events of calls. Without `secrets`, one is generated, which only this response contains.',
  example: {
    body: { url: 'https://example.com/hooks/calls', events: ['call.started', 'call.ended'] },
    response: { ...webhook, secrets: ['generated-secret-of-32-characters'] },
  },
  body: Webhook.Request,
  status: 201,
  response: CreatedWebhook,
});

export const getWebhook = defineOperation({
  id: 'getWebhook',
  method: 'GET',
  path,
  tag,
  summary: 'Get a webhook',
  description: 'Returns a webhook with its recent failures.',
  example: { response: webhook },
  status: 200,
  response: Webhook.Response,
});

export const replaceWebhook = defineOperation({
  id: 'replaceWebhook',
  method: 'PUT',
  path,
  tag,
  summary: 'Replace a webhook',
  description: 'Replaces a webhook. Without `secrets`, the stored ones do not change.',
  example: {
    body: { url: 'https://example.com/hooks/calls', events: ['call.billed'] },
    response: { ...webhook, events: ['call.billed'] },
  },
  body: Webhook.Request,
  status: 200,
  response: Webhook.Response,
});

export const updateWebhook = defineOperation({
  id: 'updateWebhook',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update a webhook',
  description: 'Changes a webhook. Omitted fields do not change.',
  example: { body: { events: ['call.ended'] }, response: { ...webhook, events: ['call.ended'] } },
  body: Webhook.Patch,
  status: 200,
  response: Webhook.Response,
});

export const deleteWebhook = defineOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete a webhook',
  description: 'Deletes a webhook. Pending deliveries to it are dropped.',
  example: {},
  status: 204,
});

export const testWebhook = defineOperation({
  id: 'testWebhook',
  method: 'POST',
  path: `${path}/test`,
  tag,
  summary: 'Send a test to a webhook',
  description:
    'Delivers the event `webhook.test` to the webhook, signed and retried like the events of calls.',
  example: {
    response: {
      ...webhookDelivery,
      callId: null,
      event: 'webhook.test',
      status: 'pending',
      attempts: 0,
      lastAttempt: null,
      lastFailure: null,
      nextAttempt: '2026-03-02T09:31:12.000Z',
      finished: null,
    },
  },
  status: 201,
  response: WebhookDelivery,
});

export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  replaceWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
];
