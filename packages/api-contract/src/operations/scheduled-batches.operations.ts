import { Type } from 'typebox';
import { Call } from '../rest/call.ts';
import {
  ChangedScheduledCallBatch,
  PatchedScheduledCallBatch,
  ScheduledCall,
  ScheduledCallBatch,
  ScheduledCallStatus,
} from '../rest/scheduled-batch.ts';
import { scheduledBatch, scheduledBatchBody, scheduledCall } from './examples/agents.examples.ts';
import { call } from './examples/calls.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Scheduled batches';
const collection = '/api/agents/{agent_id}/scheduled_batches';
const path = '/api/agents/{agent_id}/scheduled_batches/{batch_id}';

export const listScheduledBatches = defineList({
  id: 'listScheduledBatches',
  path: collection,
  tag,
  summary: 'List scheduled batches',
  description: 'Returns the scheduled batches of an agent, newest first.',
  example: { response: pageOf(scheduledBatch) },
  item: ScheduledCallBatch.Response,
  itemName: 'ScheduledCallBatch',
});

export const createScheduledBatch = defineOperation({
  id: 'createScheduledBatch',
  method: 'POST',
  path: collection,
  tag,
  summary: 'Schedule calls',
  description:
    'Schedules up to 10,000 calls of an agent. They are created within the window, as fast as the limits allow. The body may be up to 32 MiB.',
  example: { body: scheduledBatchBody, response: scheduledBatch },
  body: ScheduledCallBatch.Request,
  maxBodyBytes: 32 * 1024 * 1024,
  idempotent: true,
  status: 201,
  response: ChangedScheduledCallBatch,
  errorStatuses: [413, 422],
});

export const getScheduledBatch = defineOperation({
  id: 'getScheduledBatch',
  method: 'GET',
  path,
  tag,
  summary: 'Get a scheduled batch',
  description: 'Returns a scheduled batch with its progress.',
  example: { response: scheduledBatch },
  status: 200,
  response: ScheduledCallBatch.Response,
});

export const updateScheduledBatch = defineOperation({
  id: 'updateScheduledBatch',
  method: 'PATCH',
  path,
  tag,
  summary: 'Update a scheduled batch',
  description:
    'Pauses or resumes a batch, or changes its window, throttle or webhook. Fails with 409 if the batch has ended.',
  example: { body: { paused: true }, response: scheduledBatch },
  body: PatchedScheduledCallBatch,
  status: 200,
  response: ChangedScheduledCallBatch,
  errorStatuses: [409],
});

export const deleteScheduledBatch = defineOperation({
  id: 'deleteScheduledBatch',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete a scheduled batch',
  description: 'Deletes a batch with the calls that are not created yet. Created calls are not deleted.',
  example: {},
  status: 204,
});

export const listCallsOfBatch = defineList({
  id: 'listCallsOfBatch',
  path: '/api/agents/{agent_id}/scheduled_batches/{batch_id}/created_calls',
  tag,
  summary: 'List the created calls of a batch',
  description: 'Returns the calls that a scheduled batch created, newest first.',
  example: { response: pageOf(call) },
  item: Call,
  itemName: 'Call',
});

export const listScheduledCalls = defineList({
  id: 'listScheduledCalls',
  path: '/api/agents/{agent_id}/scheduled_batches/{batch_id}/scheduled_calls',
  tag,
  summary: 'List the scheduled calls of a batch',
  description: 'Returns the calls of a batch in their order, with the status of each.',
  example: { query: { status: 'SUCCESS' }, response: pageOf(scheduledCall) },
  filters: { status: Type.Optional(ScheduledCallStatus) },
  item: ScheduledCall.Response,
  itemName: 'ScheduledCall',
});

export const scheduledBatchOperations = [
  listScheduledBatches,
  createScheduledBatch,
  getScheduledBatch,
  updateScheduledBatch,
  deleteScheduledBatch,
  listCallsOfBatch,
  listScheduledCalls,
];
