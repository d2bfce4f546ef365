import { CallTombstone } from '../rest/call-tombstone.ts';
import { callFilters } from './call-filters.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Deleted calls';

export const listDeletedCalls = defineList({
  id: 'listDeletedCalls',
  path: '/api/deleted_calls',
  tag,
  summary: 'Lists what stays of the deleted calls of the account, the newest call first.',
  description: 'Of their texts `search` finds the name of the agent; what was said and summarised is gone.',
  filters: callFilters,
  item: CallTombstone,
  itemName: 'CallTombstone',
});

export const getDeletedCall = defineOperation({
  id: 'getDeletedCall',
  method: 'GET',
  path: '/api/deleted_calls/{call_id}',
  tag,
  summary: 'Gets what stays of a deleted call.',
  status: 200,
  response: CallTombstone,
});

export const deletedCallOperations = [listDeletedCalls, getDeletedCall];
