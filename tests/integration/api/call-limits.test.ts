import { afterAll, describe, expect, it } from '@jest/globals';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Call } from '@calls/api-contract/rest/call';
import type { CallThrottle } from '@calls/api-contract/rest/call-throttle';
import { PLAN_LIMITS, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import { endedEntry } from '@calls/testkit/ended-entry';
import {
  ControlPlaneHarness,
  type ApiResponse,
  type TestAccount,
} from '../../support/control-plane-harness.ts';
import { eventually } from '../../support/eventually.ts';

const PLENTY = { apiRequestsPerSecond: 10_000, apiRequestsPerSecondPerKey: 10_000 };
const NO_RATE = { callCreationPerSecond: 10_000, callCreationPerMinute: 100_000 };
/** The call limits of production, and of the rates only those of PRO. */
const limits: LimitsByPlan = {
  FREE: { ...PLAN_LIMITS.FREE, ...PLENTY, ...NO_RATE },
  PAYGO: { ...PLAN_LIMITS.PAYGO, ...PLENTY, ...NO_RATE },
  PRO: { ...PLAN_LIMITS.PRO, ...PLENTY },
  SCALE: { ...PLAN_LIMITS.SCALE, ...PLENTY, ...NO_RATE, priorityCalls: 3 },
};
/** Number of clients per control-plane. */
const RACERS = 10;
const ROUNDS = 5;
const medium = { serverWebSocket: { inputSampleRate: 16_000 } };

const harness = await ControlPlaneHarness.start({ planLimits: limits });
/** Two control-planes that share the same servers. */
const urls = [harness.url, await harness.addReplica()];
afterAll(() => harness.stop());

function create(account: TestAccount, extra: object = {}, query = ''): Promise<ApiResponse<Call>> {
  return account.post<Call>(`/api/calls${query}`, { medium, ...extra });
}

/** Sends requests from ten concurrent clients per control-plane. */
function race(account: TestAccount, extra: object = {}, query = ''): Promise<ApiResponse<Call>[]> {
  return burst(account, RACERS * urls.length, extra, query);
}

/** Creates that many calls concurrently through both control-planes. */
function burst(
  account: TestAccount,
  count: number,
  extra: object = {},
  query = '',
): Promise<ApiResponse<Call>[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      account.post<Call>(`${urls[i % urls.length]}/api/calls${query}`, { medium, ...extra }),
    ),
  );
}

function expectOneWinner(responses: readonly ApiResponse<Call>[], status: number, code: string): void {
  const created = responses.filter((response) => response.status === 201);
  const refused = responses.filter((response) => response.status !== 201);
  expect(created).toHaveLength(1);
  for (const response of refused) expect(response).toMatchObject({ status, body: { code } });
}

/** Log entries that a media-worker publishes when a call ends. */
async function end(account: TestAccount, call: Call, joinedMs: number | null): Promise<void> {
  const endedAtMs = Date.now();
  await harness.bus.callLogs.append(
    harness.eventsOf(call, account.accountId)(
      1,
      endedEntry({
        endReason: joinedMs === null ? 'unjoined' : 'hangup',
        joinedAtMs: joinedMs === null ? null : endedAtMs - joinedMs,
      }),
      endedAtMs,
    ),
  );
  await eventually(async () => expect((await account.call(call.callId)).ended).not.toBeNull());
}

describe('the call creation rate limit', () => {
  it('applies per plan across all replicas and returns Retry-After', async () => {
    const account = await harness.account('PRO');
    const startedAtMs = Date.now();
    const responses: ApiResponse<Call>[] = [];
    for (let i = 0; i < 3; i += 1) responses.push(...(await burst(account, 10)));
    const seconds = Math.ceil((Date.now() - startedAtMs) / 1000);
    const created = responses.filter(({ status }) => status === 201).length;
    expect(created).toBeGreaterThanOrEqual(10);
    expect(created).toBeLessThanOrEqual(10 * seconds);
    const refused = responses.find(({ status }) => status !== 201);
    if (created < responses.length) {
      expect(refused).toMatchObject({ status: 429, body: { code: 'call_creation_rate' } });
      expect(Number(refused!.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
  });

  it('does not count rejected calls', async () => {
    const account = await harness.account('PRO', null, ['sip']);
    for (let i = 0; i < 15; i += 1) {
      expect((await create(account, { temperature: 2 })).status).toBe(400);
      expect((await create(account, { medium: { sip: { incoming: {} } } })).status).toBe(422);
    }
    expect((await burst(account, 10)).map(({ status }) => status)).toEqual(Array(10).fill(201));
  });
});

describe('call throttles', () => {
  const throttled = async (account: TestAccount, maxCalls: number): Promise<CallThrottle> => {
    const rules = [
      { maxCalls: 100, windowSeconds: 1 },
      { maxCalls, windowSeconds: 3600 },
    ];
    return (await account.post<CallThrottle>('/api/call_throttles', { name: 'evening', rules })).body;
  };

  it('admit exactly one of twenty concurrent calls at the limit', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await harness.account();
      const { throttleId } = await throttled(account, 3);
      // The id and the name select the same throttle.
      expect((await create(account, {}, `?throttle=${throttleId}`)).status).toBe(201);
      expect((await create(account, {}, '?throttle=evening')).status).toBe(201);
      const responses = await race(account, {}, '?throttle=evening');
      expectOneWinner(responses, 429, 'throttle');
      const refused = responses.find(({ status }) => status === 429);
      expect(Number(refused!.headers.get('Retry-After'))).toBeGreaterThan(3500);
      expect((await create(account)).status).toBe(201);
    }
  });

  it('release their permit when the call is rejected later', async () => {
    const account = await harness.account('PAYGO');
    await throttled(account, 1);
    const live = await Promise.all(Array.from({ length: 5 }, () => create(account)));
    expect(await create(account, {}, '?throttle=evening')).toMatchObject({
      status: 429,
      body: { code: 'concurrency' },
    });
    await end(account, live[0]!.body, null);
    expect((await create(account, {}, '?throttle=evening')).status).toBe(201);
  });

  it('cannot be used by another account', async () => {
    const [account, other] = [await harness.account(), await harness.account()];
    const { throttleId } = await throttled(other, 1);
    for (const named of [throttleId, 'evening', 'nothing', '%00', 'x'.repeat(65)]) {
      const response = await account.post(`/api/calls?throttle=${named}`, { medium });
      expect(response.status).toBe(400);
      expect(response.body.errors!.map(({ path }) => path)).toEqual(['throttle']);
    }
  });
});

describe('concurrent calls', () => {
  it('admit exactly one of twenty concurrent requests for the last slot', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await harness.account('PAYGO');
      for (let i = 0; i < 4; i += 1) expect((await create(account)).status).toBe(201);
      expectOneWinner(await race(account), 429, 'concurrency');
      expect((await account.list('/api/calls')).total).toBe(5);
    }
  });

  it.each(['FREE', 'PAYGO'] as const)(
    'are limited to five on plan %s when twenty are requested at once',
    async (plan) => {
      const account = await harness.account(plan);
      const responses = await race(account, { maxDuration: '60s' });
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(5);
      for (const response of responses.filter(({ status }) => status !== 201)) {
        expect(response).toMatchObject({ status: 429, body: { code: 'concurrency' } });
      }
      expect((await account.list('/api/calls')).total).toBe(5);
    },
  );

  it('free a slot when a call ends', async () => {
    const account = await harness.account('PAYGO');
    const calls = await Promise.all(Array.from({ length: 5 }, () => create(account)));
    const refused = await create(account);
    expect(refused).toMatchObject({ status: 429, body: { code: 'concurrency' } });
    expect(refused.headers.get('Retry-After')).toBe('5');
    await end(account, calls[0]!.body, 1000);
    expect((await create(account)).status).toBe(201);
    expect((await create(account)).status).toBe(429);
  });

  it('are unlimited on plan SCALE', async () => {
    const account = await harness.account('SCALE');
    expect((await race(account)).every(({ status }) => status === 201)).toBe(true);
  });

  it('are unlimited on plan PRO', async () => {
    const account = await harness.account('PRO');
    expect((await burst(account, 9)).every(({ status }) => status === 201)).toBe(true);
  });
});

describe('priority calls', () => {
  const priority = { admissionPreference: 'CALL_ADMISSION_PREFERENCE_PRIORITY' };

  it('admit exactly one of twenty concurrent calls at the limit', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await harness.account('SCALE', null, ['admissionPreference']);
      for (let i = 0; i < 2; i += 1) expect((await create(account, priority)).status).toBe(201);
      expectOneWinner(await race(account, priority), 429, 'concurrency');
      expect((await create(account)).status).toBe(201);
      expect((await create(account, { admissionPreference: 'lowest_cost' })).status).toBe(201);
    }
  });

  it('free a priority slot when one ends, independent of other live calls', async () => {
    const account = await harness.account('SCALE', null, ['admissionPreference']);
    const first = await create(account, priority);
    for (let i = 0; i < 2; i += 1) expect((await create(account, priority)).status).toBe(201);
    const other = await create(account);
    await end(account, other.body, 1000);
    expect((await create(account, priority)).status).toBe(429);
    await end(account, first.body, 1000);
    expectOneWinner(await race(account, priority), 429, 'concurrency');
  });

  it.each(['FREE', 'PAYGO', 'PRO'] as const)('are not available on plan %s', async (plan) => {
    const account = await harness.account(plan, null, ['admissionPreference']);
    const refused = { status: 403, body: { code: 'feature_not_enabled' } };
    expect(await create(account, priority)).toMatchObject(refused);
    expect((await create(account, { admissionPreference: 'lowest_cost' })).status).toBe(201);
  });

  it('wait in a separate queue', async () => {
    const account = await harness.account('SCALE', null, ['admissionPreference']);
    const urgent = await create(account, priority);
    const cheap = await create(account, { admissionPreference: 'CALL_ADMISSION_PREFERENCE_LOWEST_COST' });
    const usual = await create(account);
    const { signal } = new AbortController();
    for (const [name, { body }] of [
      ['priority', urgent],
      ['lowest_cost', cheap],
      ['standard', usual],
    ] as const) {
      // Calls of earlier tests wait there too.
      let taken: CreatedCall | undefined;
      do {
        const delivery = await harness.bus.createdCalls.take(name, 60_000, signal);
        delivery?.ack();
        taken = delivery?.call;
      } while (taken && taken.spec.callId !== body.callId);
      expect(taken?.admissionClass).toBe(name);
    }
  });
});

describe('free minutes', () => {
  const minutes = (count: number) => ({ maxDuration: `${count * 60}s` });

  it('admit exactly one of twenty concurrent calls for the last minute', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await harness.account('FREE');
      expect((await create(account, minutes(28))).status).toBe(201);
      expectOneWinner(await race(account, minutes(2)), 402, 'free_time_exhausted');
    }
  });

  it('are reserved for a live call and released when it did not use them', async () => {
    const account = await harness.account('FREE');
    const first = await create(account, minutes(30));
    expect(await create(account, minutes(1))).toMatchObject({
      status: 402,
      body: { detail: expect.stringContaining('live calls hold 1800 s') },
    });
    expect((await create(account)).status).toBe(402);
    const freeTime = async () => (await account.request('/api/accounts/me')).body;
    expect(await freeTime()).toMatchObject({ freeTimeUsed: '0s', freeTimeRemaining: '1800s' });
    await end(account, first.body, 10 * 60_000);
    expect(await freeTime()).toMatchObject({ freeTimeUsed: '600s', freeTimeRemaining: '1200s' });
    expect((await create(account, minutes(21))).body.maxDuration).toBe('1200s');
  });

  it('limit the duration of a call that requests more or no duration', async () => {
    const account = await harness.account('FREE');
    expect((await create(account, minutes(10))).status).toBe(201);
    const { body } = await create(account);
    expect(body.maxDuration).toBe('1200s');
    await end(account, body, null);
    const next = await create(account, {}, `?priorCallId=${body.callId}`);
    expect(next.body.maxDuration).toBe('1200s');
    expect((await create(account, { maxDuration: '1s' })).status).toBe(402);
    await end(account, next.body, null);
    expect((await create(account, { maxDuration: '1200.5s' })).body.maxDuration).toBe('1200s');
  });
});
