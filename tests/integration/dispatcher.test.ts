import { afterAll, describe, expect, it } from '@jest/globals';
import type { Message } from '@calls/api-contract/rest/message';
import { openRedis } from '@calls/redis/open-redis';
import { openJobQueue } from '@calls/redis/queues/job-queue';
import { createDispatcher } from '@calls/dispatcher/dispatcher';
import { newId } from '@calls/foundation/ids';
import { createLogger, silentLogger } from '@calls/foundation/logger';
import { findFreePorts } from '@calls/local-stack/free-port';
import { findAnyCall } from '@calls/store/tables/calls';
import { insertOutbox } from '@calls/store/tables/outbox';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { dispatcherConfig } from '../support/dispatcher-config.ts';
import { endedCall as endedCallOf } from '../support/ended-call.ts';
import { eventually } from '../support/eventually.ts';
import { flushRedis } from '../support/flush-redis.ts';

const harness = await ControlPlaneHarness.start();
const redis = await harness.servers.redis();
const account = await harness.account();
const dispatcher = await createDispatcher(dispatcherConfig(harness, { redisUrl: redis.url }), silentLogger);
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]();
  await harness.stop();
});

const endedCall = (said: readonly Message[]): Promise<string> =>
  endedCallOf(harness, account, said, { model: 'svc-local' });

/** Outbox rows that were not queued yet. */
const outboxJobs = () =>
  harness.store.db
    .selectFrom('outbox')
    .selectAll()
    .where('topic', '=', 'job')
    .where('attempts', '=', 0)
    .execute();

describe('call summaries', () => {
  it('are written after a call in which the user spoke', async () => {
    const callId = await endedCall([
      { role: 'MESSAGE_ROLE_AGENT', text: 'Hello, how can I help?' },
      { role: 'MESSAGE_ROLE_USER', text: 'My parcel with the green lamp never arrived.' },
      { role: 'MESSAGE_ROLE_AGENT', text: 'I will send another one.' },
    ]);
    const call = await eventually(async () => {
      const shown = await account.call(callId);
      expect(shown.summary).not.toBeNull();
      return shown;
    });
    expect(call.shortSummary).toContain('green lamp');
    expect(call.summary).toContain('green lamp');
    expect(await outboxJobs()).toEqual([]);
  });

  it('are not written when the user said nothing', async () => {
    const callId = await endedCall([{ role: 'MESSAGE_ROLE_AGENT', text: 'Hello?' }]);
    await eventually(async () => expect(await outboxJobs()).toEqual([]));
    const marker = await endedCall([{ role: 'MESSAGE_ROLE_USER', text: 'A later call about a violin.' }]);
    await eventually(async () => expect((await account.call(marker)).summary).not.toBeNull());
    expect((await findAnyCall(harness.store.db, callId))?.summary).toBeNull();
  });

  it('are delayed while Redis is unavailable', async () => {
    await redis.stop();
    const callId = await endedCall([{ role: 'MESSAGE_ROLE_USER', text: 'I lost my umbrella.' }]);
    await eventually(async () => {
      const { status } = await fetch(`http://127.0.0.1:${dispatcher.metricsPort}/readyz`);
      expect(status).toBe(503);
    });
    await redis.start();
    await eventually(async () => expect((await account.call(callId)).summary).toContain('umbrella'));
  });

  it('are written even if Redis lost the job', async () => {
    const callId = await endedCall([{ role: 'MESSAGE_ROLE_USER', text: 'I lost my umbrella.' }]);
    await eventually(async () => expect((await account.call(callId)).summary).toContain('umbrella'));
    // Simulate that the job was lost before it ran.
    await flushRedis(redis.url);
    await harness.query('update calls set summary = null, short_summary = null where call_id = $1', callId);
    await harness.query(
      `update outbox set due_at = now() where topic = 'job' and payload->>'callId' = $1`,
      callId,
    );
    await eventually(async () => expect((await account.call(callId)).summary).toContain('umbrella'));
    const { rows } = await harness.query(`select 1 from outbox where payload->>'callId' = $1`, callId);
    expect(rows).toEqual([]);
  });

  it('are still written after a job with an unknown payload', async () => {
    await insertOutbox(harness.store.db, newId(), { topic: 'job', payload: { kind: 'fly_to_the_moon' } });
    await eventually(async () => expect(await outboxJobs()).toEqual([]));
  });
});

describe('the job queue', () => {
  it('reports within its time limit that Redis is unavailable', async () => {
    const redisUrl = `redis://127.0.0.1:${await findFreePorts(1)}`;
    await expect(openJobQueue({ redisUrl, log: silentLogger })).rejects.toMatchObject({
      code: 'queue_unavailable',
      retryable: true,
    });
  });

  it('warns of a Redis that may evict jobs', async () => {
    const client = openRedis({ url: redis.url, name: 'operator', failFast: true, log: silentLogger });
    await client.connect();
    const lines: string[] = [];
    const log = createLogger(
      { service: 'test', level: 'warn', logPii: false },
      { write: (line) => void lines.push(line) },
    );
    for (const policy of ['noeviction', 'allkeys-lru']) {
      await client.config('SET', 'maxmemory-policy', policy);
      await using _queue = await openJobQueue({ redisUrl: redis.url, log });
      if (policy !== 'noeviction') await eventually(() => expect(lines).toHaveLength(1));
    }
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    client.disconnect();
    expect(JSON.parse(lines[0]!)).toMatchObject({
      policy: 'allkeys-lru',
      msg: 'redis may evict jobs; set maxmemory-policy to noeviction',
    });
  });
});

describe('a dispatcher whose Redis is out of memory', () => {
  it('is not ready until Redis accepts jobs again', async () => {
    const client = openRedis({ url: redis.url, name: 'operator', failFast: true, log: silentLogger });
    await client.connect();
    const readiness = async (): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${dispatcher.metricsPort}/readyz`)).json();
    await client.config('SET', 'maxmemory', '1');
    expect(await readiness()).toMatchObject({
      ready: false,
      checks: {
        queue: { error: expect.stringMatching(/^the job queue is not available: OOM .*'maxmemory'/u) },
      },
    });
    await client.config('SET', 'maxmemory', '0');
    expect(await readiness()).toMatchObject({ ready: true, checks: { queue: 'ok' } });
    client.disconnect();
  });
});

describe('a dispatcher without Redis', () => {
  it('does not start, and names the variable and the cause', async () => {
    const address = `127.0.0.1:${await findFreePorts(1)}`;
    const config = dispatcherConfig(harness, { redisUrl: `redis://${address}` });
    await expect(createDispatcher(config, silentLogger)).rejects.toThrow(
      `REDIS_URL: the job queue is not available: connect ECONNREFUSED ${address}`,
    );
  });
});
