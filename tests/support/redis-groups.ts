import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RedisMember } from '@calls/local-stack/servers/redis';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

const HOST = '127.0.0.1';
/** The name contains hyphens, because names in production can. */
const MASTER_NAME = 'calls-master';

/** PEM files of the servers, which also request client certificates. */
export interface RedisTls {
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Adds TLS ports in sequence. Clients, replicas and Cluster nodes use these. */
export function withTls(
  members: readonly RedisMember[],
  { caFile, certificateFile, keyFile }: RedisTls,
  firstPort: number,
): RedisMember[] {
  return members.map((member, index) => ({
    ...member,
    settings: (password) => [
      ...member.settings(password),
      `tls-port ${firstPort + index}`,
      `tls-ca-cert-file ${caFile}`,
      `tls-cert-file ${certificateFile}`,
      `tls-key-file ${keyFile}`,
      'tls-replication yes',
      'tls-cluster yes',
    ],
  }));
}

/** `group` separates the data of groups in the same test file. */
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

/** The first servers become masters. `ports`: ports that the nodes use. */
export async function formRedisCluster(
  urls: readonly string[],
  ports: readonly number[],
  replicasPerMaster: number,
  tls?: RedisTls,
): Promise<void> {
  const { password } = new URL(urls[0]!);
  const env = { ...process.env, REDISCLI_AUTH: password };
  const create = [
    ...(tls ? ['--tls', '--cacert', tls.caFile, '--cert', tls.certificateFile, '--key', tls.keyFile] : []),
    ...['--cluster', 'create', ...ports.map((port) => `${HOST}:${port}`)],
    ...['--cluster-replicas', String(replicasPerMaster)],
  ];
  await run('redis-cli', [...create, '--cluster-yes'], { env, timeout: 60_000 });
  for (const url of urls)
    await eventually(async () => {
      const { stdout } = await run('redis-cli', ['-u', url, 'cluster', 'info'], { env });
      if (!stdout.includes('cluster_state:ok')) throw new Error(`the Redis Cluster is not ready: ${stdout}`);
      // A replica without the data of its master cannot replace it.
      const replication = await run('redis-cli', ['-u', url, 'info', 'replication'], { env });
      if (replication.stdout.includes('master_link_status:down'))
        throw new Error('a replica has no data yet');
    });
}

export function sentinelUrl(password: string, ports: readonly number[], tls?: RedisTls): string {
  const url = `${tls ? 'rediss' : 'redis'}+sentinel://default:${password}@${hostsOf(ports)}/${MASTER_NAME}/1`;
  return `${url}?sentinel_password=${password}${tls ? `&${filesOf(tls)}` : ''}`;
}

export function clusterUrl(password: string, ports: readonly number[], tls?: RedisTls): string {
  const url = `${tls ? 'rediss' : 'redis'}+cluster://default:${password}@${hostsOf(ports)}`;
  return `${url}${tls ? `?${filesOf(tls)}` : ''}`;
}

function hostsOf(ports: readonly number[]): string {
  return ports.map((port) => `${HOST}:${port}`).join(',');
}

function filesOf({ caFile, certificateFile, keyFile }: RedisTls): string {
  const files = { ca_file: caFile, cert_file: certificateFile, key_file: keyFile };
  return new URLSearchParams(files).toString();
}
