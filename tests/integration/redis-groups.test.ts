import { afterAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { connectRedis, openRedis } from '@calls/redis/open-redis';
import type { Window } from '@calls/redis/rate-limits/rate-limits';
import { openRateLimits } from '@calls/redis/rate-limits/shared-rate-limits';
import { CertificateAuthority } from '@calls/testkit/certificates';
import { eventually } from '../support/eventually.ts';
import { openRedisClients, someJobs } from '../support/redis-clients.ts';
import { ScratchServers } from '../support/scratch-servers.ts';

const WINDOWS: Window[] = [
  { name: 'second', limit: 1, windowMs: 60_000 },
  { name: 'minute', limit: 5, windowMs: 120_000 },
];
/** Number of subjects. Each of three Cluster nodes stores some of them. */
const SUBJECTS = 12;

const open = new AsyncDisposableStack();
const scratch = await ScratchServers.open();
open.defer(() => scratch.close());
const authority = open.use(await CertificateAuthority.create());
const tls = { caFile: authority.caFile, ...(await authority.issue('IP:127.0.0.1')) };
afterAll(() => open.disposeAsync());

const ONE_SENTINEL = { replicas: 0, sentinels: 1 };
const THREE_MASTERS = { masters: 3, replicas: 0 };

describe.each([
  ['Sentinel', async () => (await scratch.redisSentinelGroup(ONE_SENTINEL)).url],
  ['Cluster', async () => (await scratch.redisCluster(THREE_MASTERS)).url],
  ['Sentinel with TLS', async () => (await scratch.redisSentinelGroup(ONE_SENTINEL, tls)).url],
  ['Cluster with TLS', async () => (await scratch.redisCluster(THREE_MASTERS, tls)).url],
])('Redis with %s', (_, start) => {
  it('counts rate limits and runs jobs', async () => {
    const url = await start();
    await using clients = await openRedisClients(url);
    await eventually(() => expect(clients.limits.degraded).toBe(false));
    await using other = await openRateLimits({ redisUrl: url, clock: systemClock, log: silentLogger });
    for (let i = 0; i < SUBJECTS; i += 1) {
      const subject = newId();
      // A slow response of Redis makes a process count for itself.
      const granted = await eventually(async () => {
        const decisions = [await clients.limits.take(subject, WINDOWS), await other.take(subject, WINDOWS)];
        expect([clients.limits.degraded, other.degraded]).toEqual([false, false]);
        return decisions.map((decision) => decision.granted);
      });
      expect(granted[1]).toBe(false);
    }
    const ids = await Promise.all(
      someJobs().map(async (job) => {
        const id = newId();
        await clients.queue.add(id, job);
        return id;
      }),
    );
    await eventually(() => expect([...clients.done].toSorted()).toEqual(ids.toSorted()));
    await eventually(async () =>
      expect((await clients.queue.depths()).get('summarize_call')).toEqual({
        waiting: 0,
        delayed: 0,
        active: 0,
      }),
    );
  });
});

describe('Redis with Sentinel', () => {
  it('reports a master name that the Sentinels do not know', async () => {
    const { url } = await scratch.redisSentinelGroup(ONE_SENTINEL);
    const wrong = url.replace(/\/calls-master\//u, '/other/');
    await expect(connect(wrong)).rejects.toThrow('No such master with that name');
  });
});

describe('Redis TLS', () => {
  it('trusts only the CA in the URL and sends the client certificate that the server requires', async () => {
    const { url } = await scratch.redisCluster({ masters: 3, replicas: 0 }, tls);
    const node = new URL(url.replace('rediss+cluster:', 'rediss:').replace(/,[^?]*/u, '/0'));
    await connect(node.href);
    node.searchParams.delete('ca_file');
    await expect(connect(node.href)).rejects.toThrow('self-signed certificate in certificate chain');
    await using other = await CertificateAuthority.create();
    node.searchParams.set('ca_file', other.caFile);
    await expect(connect(node.href)).rejects.toThrow(/certificate/u);
    node.searchParams.set('ca_file', '/nowhere/ca.pem');
    expect(() => connect(node.href)).toThrow('REDIS_URL: cannot read ca_file: ENOENT');
  });
});

function connect(url: string): Promise<void> {
  const redis = openRedis({ url, name: 'test', failFast: true, log: silentLogger });
  return connectRedis(redis).finally(() => redis.disconnect());
}
