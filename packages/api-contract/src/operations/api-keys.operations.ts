import { ApiKey, ApiKeyCreate } from '../rest/api-key.ts';
import { apiKey, createdApiKey } from './examples/accounts.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'API keys';
const path = '/api/api_keys/{api_key_prefix}';
const change = {
  path,
  tag,
  body: ApiKey.Request,
  status: 200,
  response: ApiKey.Response,
  errorStatuses: [409],
  byAdministrators: true,
} as const;

export const listApiKeys = defineList({
  id: 'listApiKeys',
  path: '/api/api_keys',
  tag,
  summary: 'List API keys',
  description: 'Returns the API keys of the account, newest first, without their secrets.',
  example: { response: pageOf(apiKey) },
  item: ApiKey.Response,
  itemName: 'APIKey',
});

export const createApiKey = defineOperation({
  id: 'createApiKey',
  method: 'POST',
  path: '/api/api_keys',
  tag,
  summary: 'Create an API key',
  description: 'Creates an API key. Only this response contains the whole key.',
  example: { body: { name: 'production' }, response: createdApiKey },
  byAdministrators: true,
  body: ApiKeyCreate.Request,
  status: 201,
  response: ApiKeyCreate.Response,
});

export const getApiKey = defineOperation({
  id: 'getApiKey',
  method: 'GET',
  path,
  tag,
  summary: 'Get an API key',
  description: 'Returns an API key without its secret.',
  example: { response: apiKey },
  status: 200,
  response: ApiKey.Response,
});

export const replaceApiKey = defineOperation({
  ...change,
  id: 'replaceApiKey',
  method: 'PUT',
  summary: 'Update an API key (PUT)',
  description:
    'Changes the name or the role of an API key, or revokes it with `revoked: true`; both take effect within five seconds. Fails with 409 if the request would restore a revoked key or change the role of the key that sends it, and with 409 `last_administrator` if no administrator key would remain.',
  example: { body: { revoked: true }, response: { ...apiKey, revoked: true } },
});

export const updateApiKey = defineOperation({
  ...change,
  id: 'updateApiKey',
  method: 'PATCH',
  summary: 'Update an API key',
  description:
    'Changes the name or the role of an API key, or revokes it with `revoked: true`; both take effect within five seconds. Fails with 409 if the request would restore a revoked key or change the role of the key that sends it, and with 409 `last_administrator` if no administrator key would remain.',
  example: { body: { revoked: true }, response: { ...apiKey, revoked: true } },
});

export const deleteApiKey = defineOperation({
  id: 'deleteApiKey',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete an API key',
  description:
    'Deletes an API key. It stops working within five seconds. Fails with 409 `last_administrator` if no administrator key would remain.',
  example: {},
  byAdministrators: true,
  status: 204,
  errorStatuses: [409],
});

export const apiKeyOperations = [
  listApiKeys,
  createApiKey,
  getApiKey,
  replaceApiKey,
  updateApiKey,
  deleteApiKey,
];
