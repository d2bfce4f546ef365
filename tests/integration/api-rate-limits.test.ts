import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { newId } from '@calls/foundation/ids';
import { PLAN_LIMITS } from '@calls/redis/rate-limits/plan-limits';
import { insertApiKey } from '@calls/store/tables/api-keys';
import { ControlPlaneHarness, type TestAccount } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';

/** A rate-limited and inexpensive operation. */
const PATH = '/api/nothing-here';
const LET_THROUGH = 404;
const AT_ONCE = 24;
/** Requests per second, few enough for a machine ten times slower. Three keys together may exceed those of the account. */
const KEY_LIMIT = 5;
const ACCOUNT_LIMIT = 12;
/** Requests of a burst beyond the limit. */
const EXCESS = 5;
const PRO = {
  ...PLAN_LIMITS.PRO,
  apiRequestsPerSecond: ACCOUNT_LIMIT,
  apiRequestsPerSecondPerKey: KEY_LIMIT,
};

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

const harness = await ControlPlaneHarness.start({ planLimits: { ...PLAN_LIMITS, PRO } });
const urls = [harness.url, await harness.addReplica()];

afterAll(async () => {
  agent.destroy();
  await harness.stop();
});

interface Sent {
  sentMs: number;
  answeredMs: number;
  status: number;
}

function send(url: string, key: string): Promise<Sent> {
  const sentMs = performance.now();
  return new Promise((resolve, reject) => {
    get(url + PATH, { agent, headers: { 'X-API-Key': key } }, (response) => {
      response.resume();
      response.once('end', () =>
        resolve({ sentMs, answeredMs: performance.now(), status: response.statusCode ?? 0 }),
      );
    }).once('error', reject);
  });
}

/** Sends as fast as possible, alternating between replicas and keys. */
async function burst(count: number, to: readonly string[], keys: readonly string[]): Promise<Sent[]> {
  const answers: Sent[] = [];
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      const url = to[index % to.length] ?? '';
      answers.push(await send(url, keys[Math.floor(index / to.length) % keys.length] ?? ''));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return answers;
}

/**
 * Exactly the limit succeeds in a burst that completes within a second. A burst that a busy machine interrupts is repeated
 * with another account; the checks that hold at any speed run in both cases.
 */
async function expectExact(
  limit: number,
  to: readonly string[],
  createKeys: () => Promise<string[]>,
): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answers = await burst(limit + EXCESS, to, await createKeys());
    expectNeverMoreNorLess(limit, answers);
    const beganMs = Math.min(...answers.map(({ sentMs }) => sentMs));
    if (Math.max(...answers.map(({ answeredMs }) => answeredMs)) - beganMs > 900) continue;
    expect(answers.filter(({ status }) => status === LET_THROUGH)).toHaveLength(limit);
    return;
  }
  throw new Error(`this machine cannot answer ${limit} requests within a second`);
}

/** Checks that no second exceeds the limit and that requests are rejected only at the limit. */
function expectNeverMoreNorLess(limit: number, answers: readonly Sent[]): void {
  const granted = answers.filter(({ status }) => status === LET_THROUGH);
  for (const { sentMs } of granted) {
    const within = granted.filter((other) => other.sentMs >= sentMs && other.answeredMs < sentMs + 1000);
    expect(within.length).toBeLessThanOrEqual(limit);
  }
  for (const refused of answers.filter(({ status }) => status === 429)) {
    const inUse = granted.filter(
      (other) => other.sentMs < refused.answeredMs && other.answeredMs > refused.sentMs - 1000,
    );
    expect(inUse.length).toBeGreaterThanOrEqual(limit);
  }
}

async function oneKey(): Promise<string[]> {
  return [(await harness.account('PRO')).key];
}

async function anotherKey({ accountId }: TestAccount): Promise<string> {
  const key = `${newId().slice(-8)}.${newId().replaceAll('-', '')}`;
  await insertApiKey(harness.store.db, {
    keyId: newId(),
    accountId,
    name: 'another',
    prefix: key.slice(0, 8),
    hash: createHash('sha256').update(key).digest(),
    createdAt: new Date(),
    expiresAt: null,
  });
  return key;
}

describe('API rate limits over two replicas', () => {
  it('allow a key exactly its requests per second', async () => {
    await expectExact(KEY_LIMIT, urls, oneKey);
  });

  it('allow an account exactly its requests per second over all its keys', async () => {
    await expectExact(ACCOUNT_LIMIT, urls, async () => {
      const account = await harness.account('PRO');
      return [account.key, await anotherKey(account), await anotherKey(account)];
    });
  });

  it('report the most used window on every response', async () => {
    const account = await harness.account('PRO');
    const limits = async (path: string) => {
      const { headers } = await account.request(path);
      return ['Policy', 'Limit', 'Remaining', 'Reset'].map((name) => headers.get(`RateLimit-${name}`));
    };
    expect(await limits('/api/calls')).toEqual([
      `${ACCOUNT_LIMIT};w=1, ${KEY_LIMIT};w=1`,
      ...[KEY_LIMIT, KEY_LIMIT - 1, 1].map(String),
    ]);
    expect((await limits('/api/nothing'))[1]).toBe(String(KEY_LIMIT));
    expect((await limits('/api/calls?pageSize=x'))[1]).toBe(String(KEY_LIMIT));
    const foreign = await account.request('/api/calls', { headers: { 'X-API-Key': 'unknown' } });
    expect([foreign.status, foreign.headers.get('RateLimit-Limit')]).toEqual([401, null]);
    const { headers } = await account.request('/api/calls');
    expect(headers.get('Access-Control-Expose-Headers')).toMatch(/RateLimit-Remaining.*RateLimit-Reset/);
  });

  it('reject excess requests with 429 and count them', async () => {
    const account = await harness.account('PRO');
    const refused = await eventually(async () => {
      await burst(KEY_LIMIT + EXCESS, urls, [account.key]);
      const response = await account.request(PATH);
      expect(response.status).toBe(429);
      return response;
    });
    expect(refused.body).toEqual({
      code: 'api_rate',
      detail: `The limit of ${KEY_LIMIT} requests per second of this API key is reached.`,
    });
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(refused.headers.get('RateLimit-Limit')).toBe(String(KEY_LIMIT));
    expect(refused.headers.get('RateLimit-Remaining')).toBe('0');
    expect(refused.headers.get('Cache-Control')).toBe('no-store');
    expect(await metrics()).toMatch(/calls_limited_requests_total\{code="api_rate",[^}]*\} [1-9]/);
    // Once the window has passed, the key has its full quota again.
    await eventually(async () => expect((await account.request(PATH)).status).toBe(LET_THROUGH));
  });

  it('apply per replica without Redis and apply to all replicas again once Redis is back', async () => {
    const account = await harness.account('PRO');
    await eventually(async () => expect(await readiness()).toEqual([200, 'ok']));
    await harness.redis.stop();
    expect((await account.request('/api/calls')).status).toBe(200);
    await eventually(async () => expect(await readiness()).toEqual([200, 'degraded']));
    expect(await metrics()).toMatch(/calls_rate_limits_degraded\{[^}]*\} 1/);
    await expectExact(KEY_LIMIT, [harness.url], oneKey);

    await harness.redis.start();
    for (const url of urls) await eventually(async () => expect(await readiness(url)).toEqual([200, 'ok']));
    expect(await metrics()).toMatch(/calls_rate_limits_degraded\{[^}]*\} 0/);
    await expectExact(KEY_LIMIT, urls, oneKey);
  });
});

async function readiness(url = harness.url): Promise<[number, unknown]> {
  const response = await fetch(`${url}/readyz`);
  const { checks } = (await response.json()) as { checks: Record<string, unknown> };
  return [response.status, checks['rateLimits']];
}

async function metrics(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${harness.controlPlane.metricsPort}/metrics`)).text();
}
