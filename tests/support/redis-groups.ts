import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RedisMember } from '@calls/local-stack/servers/redis';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

const HOST = '127.0.0.1';
/** With hyphens, as a name in use could have. */
const MASTER_NAME = 'calls-master';

/** `group` distinguishes the data of the groups of one test file. */
export function redisMaster(group: number): RedisMember {
  return { name: `redis-${group}-master`, settings: (password) => [`masterauth ${password}`] };
}

export function redisReplicas(group: number, count: number, masterPort: number): RedisMember[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `redis-${group}-replica-${index + 1}`,
    settings: (password) => [`masterauth ${password}`, `replicaof ${HOST} ${masterPort}`],
  }));
}

export function redisSentinels(group: number, count: number, masterPort: number): RedisMember[] {
  const quorum = Math.floor(count / 2) + 1;
  return Array.from({ length: count }, (_, index) => ({
    name: `redis-${group}-sentinel-${index + 1}`,
    isSentinel: true,
    settings: (password) => [
      `sentinel sentinel-pass ${password}`,
      `sentinel monitor ${MASTER_NAME} ${HOST} ${masterPort} ${quorum}`,
      `sentinel auth-pass ${MASTER_NAME} ${password}`,
      `sentinel down-after-milliseconds ${MASTER_NAME} 2000`,
      `sentinel failover-timeout ${MASTER_NAME} 10000`,
    ],
  }));
}

export function redisClusterMembers(group: number, firstBusPort: number, count: number): RedisMember[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `redis-${group}-node-${index + 1}`,
    settings: (password) => [
      `masterauth ${password}`,
      'cluster-enabled yes',
      `cluster-port ${firstBusPort + index}`,
      'cluster-node-timeout 2000',
      'repl-diskless-sync-delay 0',
    ],
  }));
}

/** The first servers become masters. */
export async function formRedisCluster(urls: readonly string[], replicasPerMaster: number): Promise<void> {
  const { password } = new URL(urls[0]!);
  const hosts = urls.map((url) => new URL(url).host);
  const env = { ...process.env, REDISCLI_AUTH: password };
  const create = ['--cluster', 'create', ...hosts, '--cluster-replicas', String(replicasPerMaster)];
  await run('redis-cli', [...create, '--cluster-yes'], { env, timeout: 60_000 });
  for (const url of urls)
    await eventually(async () => {
      const { stdout } = await run('redis-cli', ['-u', url, 'cluster', 'info'], { env });
      if (!stdout.includes('cluster_state:ok')) throw new Error(`the Redis Cluster is not ready: ${stdout}`);
      // A replica that never had its master's data does not replace it.
      const replication = await run('redis-cli', ['-u', url, 'info', 'replication'], { env });
      if (replication.stdout.includes('master_link_status:down'))
        throw new Error('a replica has no data yet');
    });
}

export function sentinelUrl(urls: readonly string[]): string {
  const { password } = new URL(urls[0]!);
  const hosts = urls.map((url) => new URL(url).host).join(',');
  return `redis+sentinel://default:${password}@${hosts}/${MASTER_NAME}/1?sentinel_password=${password}`;
}

export function clusterUrl(urls: readonly string[]): string {
  const { password } = new URL(urls[0]!);
  return `redis+cluster://default:${password}@${urls.map((url) => new URL(url).host).join(',')}`;
}
