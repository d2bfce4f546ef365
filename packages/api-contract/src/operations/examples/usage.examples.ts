import { exampleIds } from './example-values.ts';

const statistics = { totalCount: 3, errorCount: 0, duration: '252s', joinedCount: 2, billedMinutes: 4.2 };

export const callUsage = {
  allTime: statistics,
  daily: [{ ...statistics, date: '2026-03-02' }],
  hourly: [{ ...statistics, date: '2026-03-02', hour: 9 }],
};

export const callQuality = {
  endReasons: [
    { endReason: 'hangup', calls: 2 },
    { endReason: 'unjoined', calls: 1 },
  ],
  turnLatency: { turns: 14, p50: '0.72s', p95: '1.31s' },
};

export const concurrency = {
  timeSeries: [
    {
      timestamp: '2026-03-02T09:00:00.000Z',
      maxTotalCalls: 3,
      maxJoinedCalls: 2,
      avgTotalCalls: 0.25,
      avgJoinedCalls: 0.07,
    },
  ],
};

export const billingUsage = {
  dailyUsage: [
    { date: '2026-03-01', minutes: 0, sipMinutes: 0 },
    { date: '2026-03-02', minutes: 4.2, sipMinutes: 0 },
  ],
  totalMinutes: 4.2,
  totalSipMinutes: 0,
};

export const agentUsage = {
  agent: { agentId: exampleIds.agent, name: 'Reception' },
  usage: [{ date: '2026-03-02', billedMinutes: 4.2, calls: 3 }],
};
