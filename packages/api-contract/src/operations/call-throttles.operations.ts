import { CallThrottle } from '../rest/call-throttle.ts';
import { pageOf } from './examples/example-values.ts';
import { callThrottle } from './examples/webhooks.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Call throttles';
const path = '/api/call_throttles/{throttle_id}';

export const listCallThrottles = defineList({
  id: 'listCallThrottles',
  path: '/api/call_throttles',
  tag,
  summary: 'List call throttles',
  description: 'Returns the call throttles of the account, newest first.',
  example: { response: pageOf(callThrottle) },
  item: CallThrottle.Response,
  itemName: 'CallThrottle',
});

export const createCallThrottle = defineOperation({
  id: 'createCallThrottle',
  method: 'POST',
  path: '/api/call_throttles',
  tag,
  summary: 'Create a call throttle',
  description:
    'Creates a named set of limits for the creation of calls. Fails with 409 if the name is in use.',
  example: {
    body: { name: 'campaign', rules: [{ maxCalls: 10, windowSeconds: 60 }] },
    response: callThrottle,
  },
  body: CallThrottle.Request,
  status: 201,
  response: CallThrottle.Response,
  errorStatuses: [409],
});

export const getCallThrottle = defineOperation({
  id: 'getCallThrottle',
  method: 'GET',
  path,
  tag,
  summary: 'Get a call throttle',
  description: 'Returns a call throttle with its rules.',
  example: { response: callThrottle },
  status: 200,
  response: CallThrottle.Response,
});

export const replaceCallThrottle = defineOperation({
  id: 'replaceCallThrottle',
  method: 'PUT',
  path,
  tag,
  summary: 'Replace a call throttle',
  description:
    'Replaces a call throttle. The new rules count earlier calls too. Fails with 409 if the name is in use.',
  example: {
    body: { name: 'spring campaign', rules: [{ maxCalls: 20, windowSeconds: 60 }] },
    response: { ...callThrottle, name: 'spring campaign', rules: [{ maxCalls: 20, windowSeconds: 60 }] },
  },
  body: CallThrottle.Request,
  status: 200,
  response: CallThrottle.Response,
  errorStatuses: [409],
});

export const updateCallThrottle = defineOperation({
  id: 'updateCallThrottle',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update a call throttle',
  description: 'Changes the name or the rules of a call throttle. Fails with 409 if the name is in use.',
  example: { body: { rules: [{ maxCalls: 10, windowSeconds: 60 }] }, response: callThrottle },
  body: CallThrottle.Patch,
  status: 200,
  response: CallThrottle.Response,
  errorStatuses: [409],
});

export const deleteCallThrottle = defineOperation({
  id: 'deleteCallThrottle',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete a call throttle',
  description: 'Deletes a call throttle. Requests that still name it fail with 400.',
  example: {},
  status: 204,
});

export const callThrottleOperations = [
  listCallThrottles,
  createCallThrottle,
  getCallThrottle,
  replaceCallThrottle,
  updateCallThrottle,
  deleteCallThrottle,
];
