import { CallThrottle } from '../rest/call-throttle.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Call throttles';
const path = '/api/call_throttles/{throttle_id}';

export const listCallThrottles = defineList({
  id: 'listCallThrottles',
  path: '/api/call_throttles',
  tag,
  summary: 'Lists the call throttles of the account, newest first.',
  item: CallThrottle.Response,
  itemName: 'CallThrottle',
});

export const createCallThrottle = defineOperation({
  id: 'createCallThrottle',
  method: 'POST',
  path: '/api/call_throttles',
  tag,
  summary: 'Creates a call throttle.',
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
  summary: 'Gets a call throttle.',
  status: 200,
  response: CallThrottle.Response,
});

export const replaceCallThrottle = defineOperation({
  id: 'replaceCallThrottle',
  method: 'PUT',
  path,
  tag,
  summary: 'Replaces a call throttle. Calls created so far count under the new rules.',
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
  summary: 'Changes a call throttle.',
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
  summary: 'Deletes a call throttle.',
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
