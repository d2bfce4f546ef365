import { Type } from 'typebox';
import { Closed, DateTime } from '../rest/common.ts';
import {
  AgentUsage,
  CallUsage,
  CONCURRENCY_BUCKETS,
  ConcurrencyResponse,
  Day,
  UsageResponse,
} from '../rest/usage.ts';
import { CallFilters } from './call-filters.ts';
import { defineOperation } from './operation.ts';

const tag = 'Usage';

export const getCallUsage = defineOperation({
  id: 'getCallUsage',
  method: 'GET',
  path: '/api/accounts/me/usage/calls',
  tag,
  summary: 'Counts the calls that fit the filters: in all, by day and by hour of their creation (UTC).',
  description: 'Deleted calls count.',
  query: CallFilters,
  status: 200,
  answer: CallUsage,
});

export const getConcurrency = defineOperation({
  id: 'getConcurrency',
  method: 'GET',
  path: '/api/accounts/me/usage/concurrency',
  tag,
  summary: 'Tells how many calls there were at the same time, bucket by bucket.',
  query: Closed({
    bucket: Type.Optional(Type.Enum([...CONCURRENCY_BUCKETS], { default: 'minute' })),
    start: Type.Optional(DateTime),
    end: Type.Optional(DateTime),
  }),
  status: 200,
  answer: ConcurrencyResponse,
});

export const getBillingUsage = defineOperation({
  id: 'getBillingUsage',
  method: 'GET',
  path: '/api/accounts/me/billing/usage',
  tag,
  summary: 'Tells the billed minutes of each day (UTC). Deleted calls count.',
  query: Closed({ fromDate: Type.Optional(Day), toDate: Type.Optional(Day) }),
  status: 200,
  answer: UsageResponse,
});

export const getAgentUsage = defineOperation({
  id: 'getAgentUsage',
  method: 'GET',
  path: '/api/agents/usage',
  tag,
  summary: 'Counts the calls that fit the filters by agent and day of their creation (UTC).',
  description: 'Deleted calls and deleted agents count.',
  query: CallFilters,
  status: 200,
  answer: Type.Array(AgentUsage),
});

export const usageOperations = [getCallUsage, getConcurrency, getBillingUsage, getAgentUsage];
