import { Type } from 'typebox';
import { CreatedWebhook, Webhook } from '../rest/webhook.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Webhooks';
const path = '/api/webhooks/{webhook_id}';

export const listWebhooks = defineList({
  id: 'listWebhooks',
  path: '/api/webhooks',
  tag,
  summary: 'Lists the webhooks of the account, newest first.',
  filters: {
    agentId: Type.Optional(
      Type.Union([Type.String({ format: 'uuid' }), Type.Literal('null')], {
        description: 'Those of one agent; `null`: those of all calls.',
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
  summary: 'Creates a webhook.',
  body: Webhook.Request,
  status: 201,
  response: CreatedWebhook,
});

export const getWebhook = defineOperation({
  id: 'getWebhook',
  method: 'GET',
  path,
  tag,
  summary: 'Gets a webhook, its recent failures included.',
  status: 200,
  response: Webhook.Response,
});

export const replaceWebhook = defineOperation({
  id: 'replaceWebhook',
  method: 'PUT',
  path,
  tag,
  summary: 'Replaces a webhook. Without `secrets` it keeps those that it has.',
  body: Webhook.Request,
  status: 200,
  response: Webhook.Response,
});

export const updateWebhook = defineOperation({
  id: 'updateWebhook',
  method: 'PATCH',
  path,
  tag,
  summary: 'Changes a webhook.',
  body: Webhook.Patch,
  status: 200,
  response: Webhook.Response,
});

export const deleteWebhook = defineOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path,
  tag,
  summary: 'Deletes a webhook.',
  status: 204,
});

export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  replaceWebhook,
  updateWebhook,
  deleteWebhook,
];
