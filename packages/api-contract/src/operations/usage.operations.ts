import { Type } from 'typebox';
import { PATTERN_MESSAGE } from '../rest/annotations.ts';
import { Closed, DateTime } from '../rest/common.ts';
import {
  AgentUsage,
  CallUsage,
  CONCURRENCY_BUCKETS,
  ConcurrencyResponse,
  UsageResponse,
} from '../rest/usage.ts';
import { CallFilters } from './call-filters.ts';
import { defineOperation } from './operation.ts';

const tag = 'Usage';
/** PostgreSQL has no year 0. */
const Day = Type.String({ format: 'date', pattern: '^(?!0000)', [PATTERN_MESSAGE]: 'must be a date' });

export const getCallUsage = defineOperation({
  id: 'getCallUsage',
  method: 'GET',
  path: '/api/accounts/me/usage/calls',
  tag,
  summary: 'Counts the calls that fit the filters: in all, by day and by hour of their creation (UTC).',
  description: 'Deleted calls count.',
  query: CallFilters,
  status: 200,
  response: CallUsage,
});

export const getConcurrency = defineOperation({
  id: 'getConcurrency',
  method: 'GET',
  path: '/api/accounts/me/usage/concurrency',
  tag,
  summary: 'Tells how many calls there were at the same time, bucket by bucket.',
  description:
    'Buckets are of UTC and begin with the one that `start` is in; 1500 at most. What is after `end`, or to come, is not looked at. Without `end` to now, without `start` 60 buckets. Deleted calls count.',
  query: Closed({
    bucket: Type.Optional(Type.Enum([...CONCURRENCY_BUCKETS], { default: 'minute' })),
    start: Type.Optional(DateTime),
    end: Type.Optional(DateTime),
  }),
  status: 200,
  response: ConcurrencyResponse,
});

export const getBillingUsage = defineOperation({
  id: 'getBillingUsage',
  method: 'GET',
  path: '/api/accounts/me/billing/usage',
  tag,
  summary: 'Tells the billed minutes of each day (UTC). Deleted calls count.',
  description: 'Without `toDate` to today, without `fromDate` from 29 days before; 366 days at most.',
  query: Closed({ fromDate: Type.Optional(Day), toDate: Type.Optional(Day) }),
  status: 200,
  response: UsageResponse,
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
  response: Type.Array(AgentUsage),
});

export const usageOperations = [getCallUsage, getConcurrency, getBillingUsage, getAgentUsage];
