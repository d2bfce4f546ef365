import { afterAll, describe, expect, it } from '@jest/globals';
import { newId } from '@calls/foundation/ids';
import type { Window } from '@calls/redis/rate-limits/rate-limits';
import { eventually } from '../support/eventually.ts';
import { openRedisClients, someJobs } from '../support/redis-clients.ts';
import { ScratchServers } from '../support/scratch-servers.ts';

/** Number of subjects. Each node stores some of them. */
const SUBJECTS = 12;
const WINDOW: Window = { name: 'a', limit: 1, windowMs: 600_000 };

const scratch = await ScratchServers.open();
const cluster = await scratch.redisCluster({ masters: 3, replicas: 3 });
afterAll(() => scratch.close());

describe('Redis Cluster', () => {
  it('counts rate limits and runs jobs again after a master is killed', async () => {
    await using clients = await openRedisClients(cluster.url);
    const added = new Set<string>();
    const addJobs = async (): Promise<void> => {
      for (const job of someJobs()) {
        const id = newId();
        await eventually(() => clients.queue.add(id, job));
        added.add(id);
      }
    };
    const allDone = (): Promise<void> =>
      eventually(() => expect([...added].filter((id) => !clients.done.has(id))).toEqual([]));
    await addJobs();
    await allDone();
    await cluster.servers[0]!.kill();
    await addJobs();
    await allDone();
    for (let i = 0; i < SUBJECTS; i += 1) {
      await eventually(async () => {
        const subject = newId();
        const taken = [
          await clients.limits.take(subject, [WINDOW]),
          await clients.limits.take(subject, [WINDOW]),
        ];
        expect(clients.limits.degraded).toBe(false);
        expect(taken.map(({ granted }) => granted)).toEqual([true, false]);
      });
    }
  });
});
