import { ApiKey, ApiKeyCreate } from '../rest/api-key.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'API keys';
const path = '/api/api_keys/{api_key_prefix}';
const change = {
  path,
  tag,
  body: ApiKey.Request,
  status: 200,
  answer: ApiKey.Response,
  refusals: [409],
} as const;

export const listApiKeys = defineList({
  id: 'listApiKeys',
  path: '/api/api_keys',
  tag,
  summary: 'Lists the API keys of the account, newest first.',
  item: ApiKey.Response,
  itemName: 'APIKey',
});

export const createApiKey = defineOperation({
  id: 'createApiKey',
  method: 'POST',
  path: '/api/api_keys',
  tag,
  summary: 'Creates an API key. Its secret is in this answer only.',
  body: ApiKeyCreate.Request,
  status: 201,
  response: ApiKeyCreate.Response,
});

export const getApiKey = defineOperation({
  id: 'getApiKey',
  method: 'GET',
  path,
  tag,
  summary: 'Gets an API key, without its secret.',
  status: 200,
  response: ApiKey.Response,
});

export const replaceApiKey = defineOperation({
  ...change,
  id: 'replaceApiKey',
  method: 'PUT',
  summary: 'Revokes an API key.',
});

export const updateApiKey = defineOperation({
  ...change,
  id: 'updateApiKey',
  method: 'PATCH',
  summary: 'Revokes an API key.',
});

export const deleteApiKey = defineOperation({
  id: 'deleteApiKey',
  method: 'DELETE',
  path,
  tag,
  summary: 'Deletes an API key. It stops working, as a revoked one does.',
  status: 204,
});

export const apiKeyOperations = [
  listApiKeys,
  createApiKey,
  getApiKey,
  replaceApiKey,
  updateApiKey,
  deleteApiKey,
];
