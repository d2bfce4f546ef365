import { described } from '@calls/foundation/schema/annotations';
import { PATTERN_MESSAGE } from '@calls/foundation/schema/keywords';
import { Closed, DateTime } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import {
  AgentUsage,
  CallQuality,
  CallUsage,
  CONCURRENCY_BUCKETS,
  ConcurrencyResponse,
  UsageResponse,
} from '../rest/usage.ts';
import { CallFilters } from './call-filters.ts';
import { agentUsage, billingUsage, callQuality, callUsage, concurrency } from './examples/usage.examples.ts';
import { defineOperation } from './operation.ts';

const tag = 'Usage';
/** PostgreSQL has no year 0. */
const Day = Type.String({ format: 'date', pattern: '^(?!0000)', [PATTERN_MESSAGE]: 'must be a date' });

export const getCallUsage = defineOperation({
  id: 'getCallUsage',
  method: 'GET',
  path: '/api/accounts/me/usage/calls',
  tag,
  summary: 'Get call statistics',
  description:
    'Counts the calls that match the filters: in total, by day and by hour of creation (UTC). Includes deleted calls.',
  example: {
    query: { fromDate: '2026-03-01T00:00:00Z', toDate: '2026-03-31T23:59:59Z' },
    response: callUsage,
  },
  query: CallFilters,
  status: 200,
  response: CallUsage,
});

export const getConcurrency = defineOperation({
  id: 'getConcurrency',
  method: 'GET',
  path: '/api/accounts/me/usage/concurrency',
  tag,
  summary: 'Get concurrency',
  description:
    'Returns how many calls there were at the same time, for up to 1500 intervals in UTC. Includes deleted calls.',
  example: {
    query: { bucket: 'hour', start: '2026-03-02T09:00:00Z', end: '2026-03-02T10:00:00Z' },
    response: concurrency,
  },
  query: Closed({
    bucket: Type.Optional(
      Type.Enum([...CONCURRENCY_BUCKETS], { default: 'minute', description: 'Length of an interval.' }),
    ),
    start: Type.Optional(
      described(DateTime, 'A time within the first interval. Defaults to 60 intervals before the end.'),
    ),
    end: Type.Optional(described(DateTime, 'End of the range. Defaults to now.')),
  }),
  status: 200,
  response: ConcurrencyResponse,
});

export const BilledDays = Closed({
  fromDate: Type.Optional(described(Day, 'First day. Defaults to 29 days before `toDate`.')),
  toDate: Type.Optional(described(Day, 'Last day. Defaults to today.')),
});

export const getBillingUsage = defineOperation({
  id: 'getBillingUsage',
  method: 'GET',
  path: '/api/accounts/me/billing/usage',
  tag,
  summary: 'Get billed minutes',
  description: 'Returns the billed minutes of each day (UTC), for up to 366 days. Includes deleted calls.',
  example: { query: { fromDate: '2026-03-01', toDate: '2026-03-02' }, response: billingUsage },
  query: BilledDays,
  status: 200,
  response: UsageResponse,
});

export const getAgentUsage = defineOperation({
  id: 'getAgentUsage',
  method: 'GET',
  path: '/api/agents/usage',
  tag,
  summary: 'Get usage by agent',
  description:
    'Counts the calls that match the filters, by agent and day of creation (UTC). Includes deleted calls and deleted agents.',
  example: { query: { fromDate: '2026-03-01T00:00:00Z' }, response: [agentUsage] },
  query: CallFilters,
  status: 200,
  response: Type.Array(AgentUsage),
});

export const getCallQuality = defineOperation({
  id: 'getCallQuality',
  method: 'GET',
  path: '/api/accounts/me/usage/quality',
  tag,
  summary: 'Get end reasons and latency',
  description:
    'Counts the ended calls that match the filters by end reason, including deleted calls, and measures the latency of turns, without deleted calls.',
  example: { query: { fromDate: '2026-03-01T00:00:00Z' }, response: callQuality },
  query: CallFilters,
  status: 200,
  response: CallQuality,
});

export const usageOperations = [getCallUsage, getCallQuality, getConcurrency, getBillingUsage, getAgentUsage];
