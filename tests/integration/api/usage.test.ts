import { afterAll, describe, expect, it } from '@jest/globals';
import { msToDuration } from '@calls/api-contract/duration';
import type { Agent } from '@calls/api-contract/rest/agent';
import type {
  AgentUsage,
  CallQuality,
  CallStatistics,
  CallUsage,
  ConcurrencyBucket,
  UsageResponse,
} from '@calls/api-contract/rest/usage';
import fc from 'fast-check';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { concurrencyOf, insertCalls, usageOf, type UsedCall } from '../../support/used-calls.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
/** Agents of `account`; their ids are in the order of their names. */
const agentIds: string[] = [];
for (const name of ['Ada', 'Bob']) {
  agentIds.push((await account.post<Agent>('/api/agents', { name })).body.agentId);
}
afterAll(() => harness.stop());

const START_MS = Date.parse('2025-03-10T22:30:00Z');
const MINUTE_MS = 60_000;

/** A few times around midnight, so that calls overlap. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((i) => i * 3 * MINUTE_MS),
  fc.nat(180 * MINUTE_MS),
);
const usedCall = fc
  .record({
    createdMs: moment,
    joinsAfterMs: fc.option(fc.constantFrom(0, 1, MINUTE_MS, 7 * MINUTE_MS)),
    lastsMs: fc.option(fc.constantFrom(0, 1, 1500, MINUTE_MS, 12 * MINUTE_MS, 100 * MINUTE_MS)),
    endReason: fc.constantFrom('hangup', 'agent_hangup', 'connection_error', 'system_error', 'timeout'),
    billing: fc.constantFrom('BILLED', 'FREE_MINUTES', 'REFUNDED'),
    sipBilledMs: fc.option(fc.constantFrom(0, 6000, 90_000)),
    agent: fc.option(fc.nat(1)),
    isDeleted: fc.boolean(),
  })
  .map((random): UsedCall => {
    const createdMs = START_MS + random.createdMs;
    const joinedMs = random.joinsAfterMs === null ? null : createdMs + random.joinsAfterMs;
    const endedMs = random.lastsMs === null ? null : (joinedMs ?? createdMs) + random.lastsMs;
    return {
      createdMs,
      joinedMs,
      endedMs,
      endReason: endedMs === null ? null : joinedMs === null ? 'unjoined' : random.endReason,
      billingStatus: endedMs === null ? 'BILLING_STATUS_PENDING' : `BILLING_STATUS_${random.billing}`,
      billedMs: endedMs === null ? null : Math.ceil((endedMs - (joinedMs ?? endedMs)) / 6000) * 6000,
      sipBilledMs: endedMs === null ? null : random.sipBilledMs,
      agentId: random.agent === null ? null : agentIds[random.agent]!,
      // Live calls cannot be deleted.
      isDeleted: random.isDeleted && endedMs !== null,
    };
  });
const usedCalls = fc.array(usedCall, { maxLength: 40 });

/** Every run uses its own account. */
async function withCalls(calls: readonly UsedCall[], check: () => Promise<void>): Promise<void> {
  await harness.query('delete from calls where account_id = $1', account.accountId);
  await harness.query('delete from call_facts where account_id = $1', account.accountId);
  await insertCalls(harness, account.accountId, calls);
  await check();
}

async function get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  const { status, body } = await account.request<T>(`${path}?${new URLSearchParams(query).toString()}`);
  expect([status, status === 200 ? null : body]).toEqual([200, null]);
  return body;
}

const CALLS = '/api/accounts/me/usage/calls';
const QUALITY = '/api/accounts/me/usage/quality';
const CONCURRENCY = '/api/accounts/me/usage/concurrency';
const BILLING = '/api/accounts/me/billing/usage';
const AGENTS = '/api/agents/usage';
const iso = (ms: number): string => new Date(ms).toISOString();
const runs = { numRuns: 30 };

const statistics = (calls: readonly UsedCall[]): CallStatistics => {
  const { count, errors, joined, durationMs, billedMs } = usageOf(calls);
  return {
    totalCount: count,
    errorCount: errors,
    duration: msToDuration(durationMs),
    joinedCount: joined,
    billedMinutes: billedMs / MINUTE_MS,
  };
};
/** Rows with their group, in order. */
function grouped(calls: readonly UsedCall[], length: number): [string, UsedCall[]][] {
  const groups = Map.groupBy(calls, ({ createdMs }) => iso(createdMs).slice(0, length));
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('usage of calls', () => {
  it('counts every call, including deleted ones, in total, by day and by hour', async () => {
    await fc.assert(
      fc.asyncProperty(usedCalls, (calls) =>
        withCalls(calls, async () => {
          const expected: CallUsage = {
            allTime: statistics(calls),
            daily: grouped(calls, 10).map(([date, those]) => ({ ...statistics(those), date })),
            hourly: grouped(calls, 13).map(([hour, those]) => ({
              ...statistics(those),
              date: hour.slice(0, 10),
              hour: Number(hour.slice(11)),
            })),
          };
          expect(await get<CallUsage>(CALLS)).toEqual(expected);
        }),
      ),
      runs,
    );
  });

  it('supports the filters of the call list', async () => {
    const filters = fc.record({ from: moment, lastsMs: moment, agent: fc.nat(1), minMs: fc.nat(90_000) });
    await fc.assert(
      fc.asyncProperty(usedCalls, filters, (calls, { from, lastsMs, agent, minMs }) =>
        withCalls(calls, async () => {
          const [fromMs, toMs] = [START_MS + from, START_MS + from + lastsMs];
          const within = calls.filter(({ createdMs }) => createdMs >= fromMs && createdMs <= toMs);
          const during = { fromDate: iso(fromMs), toDate: iso(toMs) };
          expect((await get<CallUsage>(CALLS, during)).allTime).toEqual(statistics(within));
          const ofAgent = calls.filter(({ agentId }) => agentId === agentIds[agent]);
          expect((await get<CallUsage>(CALLS, { agentIds: agentIds[agent]! })).allTime).toEqual(
            statistics(ofAgent),
          );
          const long = calls.filter(
            (call) => call.endedMs !== null && call.endedMs - (call.joinedMs ?? call.endedMs) >= minMs,
          );
          expect((await get<CallUsage>(CALLS, { durationMin: msToDuration(minMs) })).allTime).toEqual(
            statistics(long),
          );
        }),
      ),
      runs,
    );
  });
});

describe('usage of agents', () => {
  it('counts every call of agents by day', async () => {
    await fc.assert(
      fc.asyncProperty(usedCalls, (calls) =>
        withCalls(calls, async () => {
          const expected = agentIds.flatMap((agentId, i): AgentUsage[] => {
            const days = grouped(
              calls.filter((call) => call.agentId === agentId),
              10,
            );
            const usage = days.map(([date, those]) => {
              const { totalCount, billedMinutes } = statistics(those);
              return { date, calls: totalCount, billedMinutes };
            });
            return usage.length === 0 ? [] : [{ agent: { agentId, name: ['Ada', 'Bob'][i]! }, usage }];
          });
          expect(await get<AgentUsage[]>(AGENTS)).toEqual(expected);
        }),
      ),
      runs,
    );
  });
});

describe('billing usage', () => {
  it('contains the billed minutes of every day of the range', async () => {
    await fc.assert(
      fc.asyncProperty(usedCalls, fc.nat(2), fc.nat(2), (calls, first, days) =>
        withCalls(calls, async () => {
          const dates = Array.from({ length: days + 1 }, (_, i) =>
            `2025-03-${9 + first + i}`.replace('-9', '-09'),
          );
          const minutes = dates.map((date) => {
            const those = calls.filter(({ createdMs }) => iso(createdMs).startsWith(date));
            return statistics(those).billedMinutes;
          });
          const sipMinutes = dates.map((date) => {
            const those = calls.filter(({ createdMs }) => iso(createdMs).startsWith(date));
            return those.reduce((sum, { sipBilledMs }) => sum + (sipBilledMs ?? 0), 0) / MINUTE_MS;
          });
          const query = { fromDate: dates[0]!, toDate: dates.at(-1)! };
          const answer = await get<UsageResponse>(BILLING, query);
          expect(answer.dailyUsage).toEqual(
            dates.map((date, i) => ({ date, minutes: minutes[i], sipMinutes: sipMinutes[i] })),
          );
          const total = minutes.reduce((sum, each) => sum + each, 0);
          expect(answer.totalMinutes).toBeCloseTo(total, 9);
          const sipTotal = sipMinutes.reduce((sum, each) => sum + each, 0);
          expect(answer.totalSipMinutes).toBeCloseTo(sipTotal, 9);
        }),
      ),
      runs,
    );
  });

  it('covers the last thirty days by default', async () => {
    const today = iso(Date.now()).slice(0, 10);
    const { dailyUsage } = await get<UsageResponse>(BILLING);
    expect([dailyUsage.length, dailyUsage.at(-1)!.date >= today]).toEqual([30, true]);
    const since = await get<UsageResponse>(BILLING, { toDate: '2024-03-01' });
    expect([since.dailyUsage[0]!.date, since.dailyUsage.length]).toEqual(['2024-02-01', 30]);
  });
});

describe('concurrency', () => {
  it('is exact in every interval', async () => {
    const sizes = fc.constantFrom('minute', '5min', 'hour', 'day');
    await fc.assert(
      fc.asyncProperty(usedCalls, sizes, moment, moment, (calls, bucket, from, lastsMs) =>
        withCalls(calls, async () => {
          const [fromMs, toMs] = [START_MS + from, START_MS + from + lastsMs];
          const query = { bucket, start: iso(fromMs), end: iso(toMs) };
          const { timeSeries } = await get<{ timeSeries: ConcurrencyBucket[] }>(CONCURRENCY, query);
          const bucketMs = { minute: 1, '5min': 5, hour: 60, day: 1440 }[bucket] * MINUTE_MS;
          const expected = concurrencyOf(calls, { fromMs, toMs, bucketMs });
          expect(timeSeries.map(({ timestamp }) => timestamp)).toEqual(expected.map(({ atMs }) => iso(atMs)));
          timeSeries.forEach((answer, i) => {
            const { total, joined } = expected[i]!;
            expect([answer.maxTotalCalls, answer.maxJoinedCalls]).toEqual([total.max, joined.max]);
            expect(answer.avgTotalCalls).toBeCloseTo(total.avg, 9);
            expect(answer.avgJoinedCalls).toBeCloseTo(joined.avg, 9);
          });
        }),
      ),
      { numRuns: 60 },
    );
  });

  it('covers the last sixty intervals by default and never the future', async () => {
    const caller = await harness.account();
    const series = async (query: string): Promise<ConcurrencyBucket[]> =>
      (await caller.request<{ timeSeries: ConcurrencyBucket[] }>(`${CONCURRENCY}${query}`)).body.timeSeries;
    await caller.createCall();
    const minutes = await series('');
    expect([60, 61]).toContain(minutes.length);
    expect(minutes.at(-1)).toMatchObject({ maxTotalCalls: 1, maxJoinedCalls: 0 });
    const future = await series(`?bucket=hour&end=${iso(Date.now() + 10 * 60 * MINUTE_MS)}`);
    expect(Date.parse(future.at(-1)!.timestamp)).toBeLessThanOrEqual(Date.now());
    const tomorrow = iso(Date.now() + 24 * 60 * MINUTE_MS);
    expect(await series(`?start=${tomorrow}&end=${tomorrow}`)).toEqual([]);
  });
});

describe('call quality', () => {
  it('counts end reasons and measures the turns of calls that are not deleted', async () => {
    const call = (endReason: string | null, isDeleted = false): UsedCall => ({
      createdMs: START_MS,
      joinedMs: endReason === 'unjoined' ? null : START_MS,
      endedMs: endReason === null ? null : START_MS + MINUTE_MS,
      endReason,
      billingStatus: 'BILLING_STATUS_PENDING',
      billedMs: null,
      sipBilledMs: null,
      agentId: agentIds[0]!,
      isDeleted,
    });
    const calls = [call('hangup'), call('hangup', true), call('unjoined'), call(null)];
    await withCalls(calls, async () => {
      const nothing = await get<CallQuality>(QUALITY, { agentIds: agentIds[1]! });
      expect(nothing).toEqual({ endReasons: [] });
      await harness.query(
        `insert into call_events (call_id, seq, stage_id, call_timestamp_ms, wall_clock_at, severity, type, text, extras)
         select call_id, seq, call_id, 0, now(), 'debug', 'turn_latency', '', jsonb_build_object('firstAudioSentMs', ms - 5, 'firstSoundMs', ms)
         from calls, (values (1, 400), (2, 600), (3, 1100)) as turns (seq, ms)
         where account_id = $1 and end_reason = 'hangup'`,
        account.accountId,
      );
      expect(await get<CallQuality>(QUALITY, { agentIds: agentIds[0]! })).toEqual({
        endReasons: [
          { endReason: 'hangup', calls: 2 },
          { endReason: 'unjoined', calls: 1 },
        ],
        turnLatency: { turns: 3, p50: '0.6s', p95: '1.05s' },
      });
      const before = await get<CallQuality>(QUALITY, { toDate: '2025-01-01T00:00:00Z' });
      expect(before).toEqual({ endReasons: [] });
    });
  });
});

describe('usage ranges', () => {
  it.each([
    [`${CALLS}?fromDate=2025-01-02T00:00:00Z&toDate=2025-01-01T00:00:00Z`, 'toDate'],
    [`${AGENTS}?fromDate=2025-01-02T00:00:00Z&toDate=2025-01-01T00:00:00Z`, 'toDate'],
    [`${CALLS}?fromDate=yesterday`, 'fromDate'],
    [`${BILLING}?fromDate=2025-01-02&toDate=2025-01-01`, 'toDate'],
    [`${BILLING}?fromDate=2024-01-01&toDate=2025-01-01`, 'fromDate'],
    [`${BILLING}?fromDate=2025-02-30`, 'fromDate'],
    [`${BILLING}?toDate=0000-01-01`, 'toDate'],
    [`${CONCURRENCY}?start=2025-01-02T00:00:00Z&end=2025-01-01T00:00:00Z`, 'end'],
    [`${CONCURRENCY}?start=2025-01-01T00:00:00Z&end=2025-01-02T01:01:00Z`, 'start'],
    [`${CONCURRENCY}?start=2024-12-31T23:59:60Z`, 'start'],
    [`${CONCURRENCY}?end=2024-12-31T23:59:60Z`, 'end'],
    [`${CONCURRENCY}?bucket=second`, 'bucket'],
  ])('reject %s', async (path, issue) => {
    const { status, body } = await account.request(path);
    expect([status, body.errors!.map((each) => each.path)]).toEqual([400, [issue]]);
  });

  it('are accepted up to the maximum length', async () => {
    const year = await get<UsageResponse>(BILLING, { fromDate: '2024-01-01', toDate: '2024-12-31' });
    expect(year.dailyUsage).toHaveLength(366);
    const [start, end] = ['2025-01-01T00:00:00Z', '2025-01-02T01:00:00Z'];
    const { timeSeries } = await get<{ timeSeries: ConcurrencyBucket[] }>(CONCURRENCY, { start, end });
    expect(timeSeries).toHaveLength(1500);
  });
});

describe('usage', () => {
  it('includes only data of the account', async () => {
    const call: UsedCall = {
      createdMs: Date.now() - 5 * MINUTE_MS,
      joinedMs: Date.now() - 5 * MINUTE_MS,
      endedMs: Date.now() - 2 * MINUTE_MS,
      endReason: 'hangup',
      billingStatus: 'BILLING_STATUS_BILLED',
      billedMs: 180_000,
      sipBilledMs: null,
      agentId: agentIds[0]!,
      isDeleted: false,
    };
    await withCalls([call], async () => {
      const other = await harness.account();
      const none = { totalCount: 0, errorCount: 0, duration: '0s', joinedCount: 0, billedMinutes: 0 };
      expect((await other.request(CALLS)).body).toEqual({ allTime: none, daily: [], hourly: [] });
      expect((await other.request(`${CALLS}?agentIds=${agentIds[0]}`)).body).toMatchObject({ allTime: none });
      expect((await other.request(AGENTS)).body).toEqual([]);
      expect((await other.request(BILLING)).body).toMatchObject({ totalMinutes: 0 });
      expect((await get<UsageResponse>(BILLING)).totalMinutes).toBe(3);
      const { body } = await other.request<{ timeSeries: ConcurrencyBucket[] }>(CONCURRENCY);
      expect(Math.max(...body.timeSeries.map(({ maxTotalCalls }) => maxTotalCalls))).toBe(0);
    });
  });
});
