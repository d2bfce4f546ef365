import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { AgentBasic } from './call.ts';
import { EndReason } from './enums.ts';

const Count = Type.Integer({ minimum: 0 });
const Minutes = Type.Number({ minimum: 0 });
const BilledMinutes = described(Minutes, 'Billed minutes.');
export const Day = Type.String({ format: 'date', description: 'Day in UTC.' });

const statistics = {
  totalCount: described(Count, 'Calls created.'),
  errorCount: described(Count, 'Calls that ended with `connection_error` or `system_error`.'),
  duration: Type.String({
    description: 'Total time from join to end of all calls, for example `90.5s`.',
  }),
  joinedCount: described(Count, 'Calls that a client joined.'),
  billedMinutes: BilledMinutes,
};
export const CallStatistics = Closed(statistics, 'CallStatistics', 'Statistics of a group of calls.');
export type CallStatistics = Static<typeof CallStatistics>;

const DailyCallStatistics = Closed(
  { ...statistics, date: Day },
  'DailyCallStatistics',
  'Statistics of the calls that were created on one day.',
);
const HourlyCallStatistics = Closed(
  {
    ...statistics,
    date: Day,
    hour: Type.Integer({ minimum: 0, maximum: 23, description: 'Hour of the day in UTC.' }),
  },
  'HourlyCallStatistics',
  'Statistics of the calls that were created within one hour.',
);

export const CallUsage = Closed(
  {
    allTime: described(CallStatistics, 'All calls that match the filters.'),
    daily: Type.Array(DailyCallStatistics, {
      description: 'Statistics by day; days without calls are left out.',
    }),
    hourly: Type.Array(HourlyCallStatistics, {
      description: 'Statistics by hour; hours without calls are left out.',
    }),
  },
  'CallUsage',
  'Statistics of the calls of an account, by the time of their creation.',
);
export type CallUsage = Static<typeof CallUsage>;

export const CONCURRENCY_BUCKETS = ['minute', '5min', 'hour', 'day'] as const;
export type ConcurrencyBucketSize = (typeof CONCURRENCY_BUCKETS)[number];

export const ConcurrencyBucket = Closed(
  {
    timestamp: described(DateTime, 'Start of the interval.'),
    maxTotalCalls: described(Count, 'Maximum number of calls at the same time, from creation to end.'),
    maxJoinedCalls: described(Count, 'Maximum number of joined calls at the same time.'),
    avgTotalCalls: Type.Number({ minimum: 0, description: 'Average number of calls, from creation to end.' }),
    avgJoinedCalls: Type.Number({ minimum: 0, description: 'Average number of joined calls.' }),
  },
  'ConcurrencyBucket',
  'How many calls there were at the same time within one interval.',
);
export type ConcurrencyBucket = Static<typeof ConcurrencyBucket>;

export const ConcurrencyResponse = Closed(
  { timeSeries: Type.Array(ConcurrencyBucket, { description: 'Intervals in order of time.' }) },
  'ConcurrencyResponse',
  'How many calls there were at the same time.',
);

const BillingUsageDay = Closed(
  { date: Day, minutes: BilledMinutes, sipMinutes: described(Minutes, 'Billed SIP minutes.') },
  'BillingUsageDay',
  'Billed minutes of one day.',
);
export const UsageResponse = Closed(
  {
    dailyUsage: Type.Array(BillingUsageDay, { description: 'One entry for each day of the range.' }),
    totalMinutes: described(Minutes, 'Billed minutes of the range.'),
    totalSipMinutes: described(Minutes, 'Billed SIP minutes of the range.'),
  },
  'UsageResponse',
  'Billed minutes of a range of days.',
);
export type UsageResponse = Static<typeof UsageResponse>;

/** Maximum number of calls that a report measures turns of. */
export const MAX_MEASURED_CALLS = 2000;

const EndReasonCount = Closed(
  { endReason: described(EndReason, 'Why the calls ended.'), calls: described(Count, 'Number of calls.') },
  'EndReasonCount',
  'How many calls ended for a reason.',
);
const TurnLatency = Closed(
  {
    turns: Type.Integer({ minimum: 1, description: 'Measured turns.' }),
    p50: described(Duration, 'Median.'),
    p95: described(Duration, 'The 95th percentile.'),
  },
  'TurnLatency',
  'Time from the end of the speech of the user to the first audio of the response that was sent.',
);
export const CallQuality = Closed(
  {
    endReasons: Type.Array(EndReasonCount, {
      description: 'End reasons, the most frequent first.',
    }),
    turnLatency: Type.Optional(
      described(
        TurnLatency,
        `Latency of spoken turns in the newest ${MAX_MEASURED_CALLS} joined calls; absent without such turns.`,
      ),
    ),
  },
  'CallQuality',
  'How calls ended and how fast agents responded.',
);
export type CallQuality = Static<typeof CallQuality>;

const AgentDailyUsage = Closed(
  { date: Day, billedMinutes: BilledMinutes, calls: described(Count, 'Calls created.') },
  'AgentDailyUsage',
  'Usage of an agent on one day.',
);
export const AgentUsage = Closed(
  {
    agent: described(AgentBasic, 'The agent.'),
    usage: Type.Array(AgentDailyUsage, { description: 'Days with calls, in order.' }),
  },
  'AgentUsage',
  'Usage of an agent, by day.',
);
export type AgentUsage = Static<typeof AgentUsage>;
