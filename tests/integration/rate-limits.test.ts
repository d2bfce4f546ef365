import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { delay, systemClock, type Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { createLogger, silentLogger } from '@calls/foundation/logger';
import { LocalRateLimits } from '@calls/redis/rate-limits/local-rate-limits';
import type { Outcome } from '@calls/redis/rate-limits/outcome';
import type { Window } from '@calls/redis/rate-limits/rate-limits';
import { RedisRateLimits } from '@calls/redis/rate-limits/redis-rate-limits';
import { openRateLimits, type SharedRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { openRedis, type RedisConnection } from '@calls/redis/open-redis';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { asGranted, asRefused, describeRateLimits } from '@calls/testkit/conformance/rate-limits';
import { requireQuick } from '@calls/testkit/long-form';
import fc from 'fast-check';
import { eventually } from '../support/eventually.ts';
import { slowRedisCheckClock } from '../support/slow-redis-check-clock.ts';
import { ScratchServers, type ScratchServer } from '../support/scratch-servers.ts';

const CONNECTIONS = 4;
const MINUTE_MS = 60_000;

const connections: RedisConnection[] = [];
/** Each has its own connection, like a replica. */
const replicas: RedisRateLimits[] = [];

const servers = await ScratchServers.open();
const server = await servers.redis();
for (let i = 0; i < CONNECTIONS; i += 1) {
  const redis = openRedis({ url: server.url, name: `test ${i}`, failFast: true, log: silentLogger });
  await redis.connect();
  connections.push(redis);
  replicas.push(new RedisRateLimits(redis, slowRedisCheckClock));
}

afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await servers.close();
});

function replica(index = 0): RedisRateLimits {
  const found = replicas[index % CONNECTIONS];
  if (!found) throw new Error('not connected');
  return found;
}

function connection(): RedisConnection {
  const [first] = connections;
  if (!first) throw new Error('not connected');
  return first;
}

/** Waits by the clock of Redis, because a timer of this process may fire a fraction of a millisecond too early. */
async function passInRedis(ms: number): Promise<void> {
  const nowUs = async (): Promise<number> => {
    const [seconds, microseconds] = await connection().time();
    return Number(seconds) * 1_000_000 + Number(microseconds);
  };
  const untilUs = (await nowUs()) + ms * 1000;
  for (let leftUs = ms * 1000; leftUs > 0; leftUs = untilUs - (await nowUs())) {
    await delay(systemClock, Math.ceil(leftUs / 1000));
  }
}

describeRateLimits('Redis', { limits: () => replica(), pass: passInRedis });

const clock = new VirtualClock();
const local = new LocalRateLimits(clock);
describeRateLimits('this process', { limits: () => local, pass: (ms) => clock.advance(ms) });

describe('local rate limit windows', () => {
  it('are limited in number', async () => {
    const bounded = new LocalRateLimits(new VirtualClock(), 2);
    const take = (subject: string) => bounded.take(subject, [{ name: 'a', limit: 1, windowMs: 1000 }]);
    asGranted(await take('old'));
    asGranted(await take('young'));
    asRefused(await take('old'));
    asGranted(await take('new'));
    asRefused(await take('old'));
    asGranted(await take('young'));
  });
});

describe('shared rate limit windows', () => {
  it('grant the last permit to exactly one of ten concurrent requests', async () => {
    for (let round = 0; round < 50; round += 1) {
      const subject = newId();
      const windows = [
        { name: 'second', limit: 9, windowMs: 1000 * MINUTE_MS },
        { name: 'minute', limit: 3, windowMs: MINUTE_MS },
      ];
      await replica().take(subject, windows);
      await replica(1).take(subject, windows);
      const racing = Array.from({ length: 10 }, (_, i) => replica(i).take(subject, windows));
      const decisions = await Promise.all(racing);
      expect(decisions.filter(({ granted }) => granted)).toHaveLength(1);
    }
  });

  it('enforce the limit in every interval and reject only at the limit, like the reference model', async () => {
    const windowsOf = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b'),
        limit: fc.integer({ min: 1, max: 12 }),
        windowMs: fc.integer({ min: 5, max: 60 }),
      }),
      { minLength: 1, maxLength: 3, selector: ({ name, windowMs }) => `${name} ${windowMs}` },
    );
    const pauses = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 20, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(windowsOf, pauses, async (windows, pausesMs) => {
        const subject = newId();
        const outcomes: Outcome[] = [];
        for (const [index, pauseMs] of pausesMs.entries()) {
          if (pauseMs > 6) await delay(systemClock, pauseMs);
          const burst = Array.from({ length: 3 }, (_, i) => replica(index + i).attempt(subject, windows));
          outcomes.push(...(await Promise.all(burst)));
        }
        outcomes.sort((a, b) => a.atUs - b.atUs);
        for (const window of windows) expectExact(window, outcomes);
        await expectSameOfReference(subject, windows, outcomes);
      }),
      { numRuns: 12 },
    );
  });

  it('store at most the limit and nothing after expiry', async () => {
    const subject = newId();
    const windows = [{ name: 'a', limit: 5, windowMs: 100 }];
    for (let i = 0; i < 40; i += 1) await replica(i).take(subject, windows);
    const [key, ...others] = await connection().keys(`*${subject}*`);
    expect(others).toEqual([]);
    expect(await connection().llen(key ?? '')).toBeLessThanOrEqual(5);
    await eventually(async () => expect(await connection().keys(`*${subject}*`)).toEqual([]));
  });

  it('tolerate a clock that is set back', async () => {
    const window = { name: 'a', limit: 2, windowMs: MINUTE_MS };
    const key = (subject: string): string => `limit:{${subject}}:a:${MINUTE_MS}`;
    const aheadUs = (ms: number): number => (Date.now() + ms) * 1000;
    const near = newId();
    await connection().rpush(key(near), aheadUs(30_000));
    asGranted(await replica().take(near, [window]));
    expect(asRefused(await replica().take(near, [window])).retryAfterMs).toBe(MINUTE_MS);
    const far = newId();
    await connection().rpush(key(far), aheadUs(3_600_000), aheadUs(3_600_000));
    expect(asGranted(await replica().take(far, [window])).windows[0]?.remaining).toBe(1);
  });
});

/** Counts in every interval that ends with a granted permit, which includes the fullest ones. */
function expectExact(window: Window, outcomes: readonly Outcome[]): void {
  const lengthUs = window.windowMs * 1000;
  const grantedUs = outcomes.filter(({ granted }) => granted).map(({ atUs }) => atUs);
  for (const endUs of grantedUs) {
    const inWindow = grantedUs.filter((us) => us > endUs - lengthUs && us <= endUs);
    expect(inWindow.length).toBeLessThanOrEqual(window.limit);
  }
}

/** Replays the requests at the times at which Redis decided them. */
async function expectSameOfReference(
  subject: string,
  windows: readonly Window[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const [first] = outcomes;
  let nowMs = 0;
  const replayed: Clock = { ...systemClock, nowMs: () => nowMs };
  const reference = new LocalRateLimits(replayed);
  for (const { atUs, granted, logs } of outcomes) {
    nowMs = (atUs - (first?.atUs ?? 0)) / 1000;
    const decision = await reference.take(subject, windows);
    expect(decision.granted).toBe(granted);
    expect(decision.windows.map(({ remaining }) => remaining)).toEqual(
      windows.map(({ limit }, i) => Math.max(0, limit - (logs[i]?.used ?? NaN))),
    );
    if (decision.granted) continue;
    const waitsUs = logs.map(({ freesAtUs }) => (freesAtUs ?? atUs) - atUs);
    expect(decision.retryAfterMs).toBe(Math.ceil(Math.max(...waitsUs) / 1000));
  }
}

describe('rate limits during a Redis outage', () => {
  const window = { name: 'a', limit: 3, windowMs: MINUTE_MS };
  const lines: string[] = [];
  const log = createLogger(
    { service: 'test', level: 'info', logPii: false },
    { write: (line) => void lines.push(line) },
  );
  const outages = (): number => lines.filter((line) => line.includes('redis unavailable')).length;
  const recoveries = (): number => lines.filter((line) => line.includes('redis available')).length;
  let own: ScratchServer;
  let limits: SharedRateLimits;

  beforeAll(async () => {
    own = await servers.redis();
    limits = await openRateLimits({ redisUrl: own.url, clock: slowRedisCheckClock, log });
  });
  afterAll(async () => limits[Symbol.asyncDispose]());

  const grants = async (subject: string, takes: number, from = limits): Promise<number> => {
    const decisions = [];
    for (let i = 0; i < takes; i += 1) decisions.push(await from.take(subject, [window]));
    return decisions.filter(({ granted }) => granted).length;
  };

  it('are counted in the process until Redis is available again', async () => {
    const subject = newId();
    expect(await grants(subject, 2)).toBe(2);
    expect(limits.degraded).toBe(false);

    await own.stop();
    const startMs = performance.now();
    expect(await grants(subject, 5)).toBe(3);
    requireQuick(performance.now() - startMs, 1000);
    expect(limits.degraded).toBe(true);

    await own.start();
    await eventually(() => expect(limits.degraded).toBe(false));
    // Counts stored in Redis apply again; local counts of the outage do not.
    expect(await grants(subject, 5)).toBe(1);
    expect([outages(), recoveries()]).toEqual([1, 1]);
  });

  it('detect the outage without any request', async () => {
    await own.stop();
    await eventually(() => expect(limits.degraded).toBe(true));
    await own.start();
    await eventually(() => expect(limits.degraded).toBe(false));
    expect([outages(), recoveries()]).toEqual([2, 2]);
  });

  it('log the reason once when the password is rejected', async () => {
    const operator = openRedis({ url: own.url, name: 'operator', failFast: true, log: silentLogger });
    await operator.connect();
    await operator.call('CONFIG', 'SET', 'requirepass', 'another password');
    lines.length = 0;
    await operator.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await eventually(() => expect(limits.degraded).toBe(true));
    const reasons = (): number => lines.filter((line) => line.includes('WRONGPASS')).length;
    await eventually(() => expect(reasons()).toBe(1));
    await operator.call('CONFIG', 'SET', 'requirepass', new URL(own.url).password);
    await eventually(() => expect(limits.degraded).toBe(false));
    expect(reasons()).toBe(1);
    operator.disconnect();
  });

  it('are counted in the process when the database of the URL does not exist', async () => {
    const operator = openRedis({ url: own.url, name: 'operator', failFast: true, log: silentLogger });
    await operator.connect();
    await operator.call('CONFIG', 'RESETSTAT');
    lines.length = 0;
    const redisUrl = new URL('/99', own.url).href;
    await using lost = await openRateLimits({ redisUrl, clock: slowRedisCheckClock, log });
    await eventually(async () =>
      expect(await operator.info('commandstats')).toMatch(/cmdstat_select:.*failed_calls=[4-9]/u),
    );
    expect(lost.degraded).toBe(true);
    const logged = lines.map((line) => (JSON.parse(line) as { msg: string; err: Error }).msg);
    expect(logged).toEqual([
      'redis connection failed; reconnecting',
      'redis unavailable; rate limits are counted per process',
    ]);
    expect(lines.join('')).toContain('DB index is out of range');
    operator.disconnect();
  });

  it('delay requests only briefly when connections stay open', async () => {
    const subject = newId();
    const redis = openRedis({ url: own.url, name: 'pauser', failFast: true, log: silentLogger });
    await redis.connect();
    await using impatient = await openRateLimits({
      redisUrl: own.url,
      clock: systemClock,
      log: silentLogger,
    });
    await eventually(() => expect(impatient.degraded).toBe(false));
    await redis.client('PAUSE', 4000);
    const startMs = performance.now();
    expect(await grants(subject, 20, impatient)).toBe(3);
    requireQuick(performance.now() - startMs, 1000);
    expect(impatient.degraded).toBe(true);
    await eventually(() => expect(impatient.degraded).toBe(false));
    redis.disconnect();
  });

  it('log once that the server has become a replica, and that a master is connected again', async () => {
    const operator = openRedis({ url: own.url, name: 'operator', failFast: true, log: silentLogger });
    await operator.connect();
    lines.length = 0;
    const messages = (): string[] => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    const refusals = async (): Promise<number> =>
      Number(/errorstat_READONLY:count=(\d+)/u.exec(await operator.info('errorstats'))?.[1] ?? 0);
    await operator.call('REPLICAOF', '127.0.0.1', '1');
    await eventually(async () => expect(await refusals()).toBeGreaterThan(5));
    expect(messages().sort()).toEqual([
      'redis server is a replica and refuses writes; reconnecting',
      'redis unavailable; rate limits are counted per process',
    ]);
    await operator.call('REPLICAOF', 'NO', 'ONE');
    await eventually(() => expect(messages()).toContain('redis connected'));
    expect(messages()).toHaveLength(4);
    operator.disconnect();
  });

  it('do not prevent a service from starting', async () => {
    await own.stop();
    const late = await openRateLimits({ redisUrl: own.url, clock: slowRedisCheckClock, log: silentLogger });
    asGranted(await late.take(newId(), [window]));
    expect(late.degraded).toBe(true);
    await own.start();
    await eventually(() => expect(late.degraded).toBe(false));
    await late[Symbol.asyncDispose]();
  });
});
