import { Type, type Static } from 'typebox';
import { AgentBasic } from './call.ts';
import { Closed, DateTime } from './common.ts';

const Count = Type.Integer({ minimum: 0 });
const Minutes = Type.Number({ minimum: 0 });
/** A day in UTC. */
export const Day = Type.String({ format: 'date' });

const statistics = {
  totalCount: Count,
  errorCount: Count,
  duration: Type.String(),
  joinedCount: Count,
  billedMinutes: Minutes,
};
export const CallStatistics = Closed(statistics, 'CallStatistics');
export type CallStatistics = Static<typeof CallStatistics>;

const DailyCallStatistics = Closed({ ...statistics, date: Day }, 'DailyCallStatistics');
const HourlyCallStatistics = Closed(
  { ...statistics, date: Day, hour: Type.Integer({ minimum: 0, maximum: 23 }) },
  'HourlyCallStatistics',
);

/** Days and hours in which calls were created, in order. */
export const CallUsage = Closed(
  {
    allTime: CallStatistics,
    daily: Type.Array(DailyCallStatistics),
    hourly: Type.Array(HourlyCallStatistics),
  },
  'CallUsage',
);
export type CallUsage = Static<typeof CallUsage>;

export const CONCURRENCY_BUCKETS = ['minute', '5min', 'hour', 'day'] as const;
export type ConcurrencyBucketSize = (typeof CONCURRENCY_BUCKETS)[number];

export const ConcurrencyBucket = Closed(
  {
    timestamp: DateTime,
    maxTotalCalls: Count,
    maxJoinedCalls: Count,
    avgTotalCalls: Type.Number({ minimum: 0 }),
    avgJoinedCalls: Type.Number({ minimum: 0 }),
  },
  'ConcurrencyBucket',
);
export type ConcurrencyBucket = Static<typeof ConcurrencyBucket>;

export const ConcurrencyResponse = Closed(
  { timeSeries: Type.Array(ConcurrencyBucket) },
  'ConcurrencyResponse',
);

const BillingUsageDay = Closed({ date: Day, minutes: Minutes, sipMinutes: Minutes }, 'BillingUsageDay');
export const UsageResponse = Closed(
  { dailyUsage: Type.Array(BillingUsageDay), totalMinutes: Minutes, totalSipMinutes: Minutes },
  'UsageResponse',
);
export type UsageResponse = Static<typeof UsageResponse>;

const AgentDailyUsage = Closed({ date: Day, billedMinutes: Minutes, calls: Count }, 'AgentDailyUsage');
export const AgentUsage = Closed({ agent: AgentBasic, usage: Type.Array(AgentDailyUsage) }, 'AgentUsage');
export type AgentUsage = Static<typeof AgentUsage>;
