import { Type } from 'typebox';
import { Call } from '../rest/call.ts';
import {
  ChangedScheduledCallBatch,
  PatchedScheduledCallBatch,
  ScheduledCall,
  ScheduledCallBatch,
  ScheduledCallStatus,
} from '../rest/scheduled-batch.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Scheduled batches';
const collection = '/api/agents/{agent_id}/scheduled_batches';
const path = '/api/agents/{agent_id}/scheduled_batches/{batch_id}';

export const listScheduledBatches = defineList({
  id: 'listScheduledBatches',
  path: collection,
  tag,
  summary: 'Lists the scheduled batches of an agent, newest first.',
  item: ScheduledCallBatch.Response,
  itemName: 'ScheduledCallBatch',
});

export const createScheduledBatch = defineOperation({
  id: 'createScheduledBatch',
  method: 'POST',
  path: collection,
  tag,
  summary: 'Schedules calls of an agent. They are created within the window, as fast as the limits allow.',
  body: ScheduledCallBatch.Request,
  maxBodyBytes: 32 * 1024 * 1024,
  status: 201,
  response: ChangedScheduledCallBatch,
  errorStatuses: [413],
});

export const getScheduledBatch = defineOperation({
  id: 'getScheduledBatch',
  method: 'GET',
  path,
  tag,
  summary: 'Gets a scheduled batch.',
  status: 200,
  response: ScheduledCallBatch.Response,
});

export const updateScheduledBatch = defineOperation({
  id: 'updateScheduledBatch',
  method: 'PATCH',
  path,
  tag,
  summary: 'Changes a scheduled batch that has not ended: pauses or resumes it, moves its window.',
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
  summary: 'Deletes a scheduled batch. Calls that it created stay.',
  status: 204,
});

export const listCallsOfBatch = defineList({
  id: 'listCallsOfBatch',
  path: '/api/agents/{agent_id}/scheduled_batches/{batch_id}/created_calls',
  tag,
  summary: 'Lists the calls that a scheduled batch created, newest first.',
  item: Call,
  itemName: 'Call',
});

export const listScheduledCalls = defineList({
  id: 'listScheduledCalls',
  path: '/api/agents/{agent_id}/scheduled_batches/{batch_id}/scheduled_calls',
  tag,
  summary: 'Lists the scheduled calls of a batch in their order, with what became of each.',
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
