import { CallTombstone } from '../rest/call-records.ts';
import { callFilters } from './call-filters.ts';
import { callTombstone } from './examples/calls.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Deleted calls';

export const listDeletedCalls = defineList({
  id: 'listDeletedCalls',
  path: '/api/deleted_calls',
  tag,
  summary: 'List deleted calls',
  description:
    'Returns the records of deleted calls, newest call first. `search` only finds the name of the agent: texts of deleted calls are not stored.',
  example: { query: { fromDate: '2026-03-01T00:00:00Z' }, response: pageOf(callTombstone) },
  filters: callFilters,
  item: CallTombstone,
  itemName: 'CallTombstone',
});

export const getDeletedCall = defineOperation({
  id: 'getDeletedCall',
  method: 'GET',
  path: '/api/deleted_calls/{call_id}',
  tag,
  summary: 'Get a deleted call',
  description: 'Returns the record of a deleted call.',
  example: { response: callTombstone },
  status: 200,
  response: CallTombstone,
});

export const deletedCallOperations = [listDeletedCalls, getDeletedCall];
