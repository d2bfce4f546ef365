import { readFileSync } from 'node:fs';
import type { SecureContextOptions } from 'node:tls';
import { systemClock, type Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { parseRedisUrl, type RedisTlsFiles } from '@calls/foundation/redis-url';
import { Cluster, Redis } from 'ioredis';

/** A server, the current master of a Sentinel group, or a Redis Cluster. */
export type RedisConnection = Redis | Cluster;

const MAX_RECONNECT_DELAY_MS = 2000;
/** Time limit for Redis to close its side. ioredis waits this long even if the connection is already closed. */
const DISCONNECT_LIMIT_MS = 250;
const CONNECT_LIMIT_MS = 3000;
const COMMAND_LIMIT_MS = 3000;
/** If the server does not respond for this long, the connection counts as lost and is reopened. */
const SILENCE_LIMIT_MS = 5000;
/** The same for the queue's workers, whose requests for a job wait up to 10 s. */
const WORKER_SILENCE_LIMIT_MS = 15_000;
/** A server that was a replica counts as the master when it has refused no write for this long. */
const MASTER_AFTER_MS = 3000;
/** Pause before a Cluster command is sent again, and the number of times. */
const CLUSTER_RETRIES = { delayMs: 100, count: 16 };
const CLUSTER_REFRESH_MS = 5000;

/**
 * Reconnects without limit. With `failFast`, a command rejects while Redis is unavailable and is not resent
 * if its response was lost; a Cluster may get it again for up to two seconds. Without it, commands wait, as the
 * queue's workers require.
 */
export function openRedis(options: RedisOptions): RedisConnection {
  let onReplica = (_err: Error): void => undefined;
  const redis = clientOf(options, (err) => onReplica(err));
  onReplica = logState(redis, options);
  return redis;
}

interface RedisOptions {
  url: string;
  name: string;
  failFast: boolean;
  log: Logger;
}

function clientOf({ url, name, failFast }: RedisOptions, onReplica: (err: Error) => void): RedisConnection {
  const address = parseRedisUrl(url);
  const tls = address.tls && { tls: readFiles(address.tls) };
  const shared = {
    connectionName: name,
    maxRetriesPerRequest: failFast ? 0 : null,
    connectTimeout: CONNECT_LIMIT_MS,
    disconnectTimeout: DISCONNECT_LIMIT_MS,
    socketTimeout: failFast ? SILENCE_LIMIT_MS : WORKER_SILENCE_LIMIT_MS,
    ...(failFast && { commandTimeout: COMMAND_LIMIT_MS }),
    ...tls,
  };
  const single = {
    ...shared,
    enableOfflineQueue: !failFast,
    retryStrategy: reconnectDelay,
    // A master that became a replica refuses writes; the command is sent again to the new master.
    reconnectOnError: (err: Error) => {
      if (!err.message.includes('READONLY')) return false;
      onReplica(err);
      return 2 as const;
    },
    lazyConnect: true,
  };
  if (address.kind === 'server') return new Redis(address.url, single);
  const { username, password } = address;
  const login = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
  if (address.kind === 'cluster')
    return new Cluster([...address.nodes], {
      redisOptions: { ...shared, ...login },
      enableOfflineQueue: !failFast,
      clusterRetryStrategy: reconnectDelay,
      maxRedirections: CLUSTER_RETRIES.count,
      // Applies to commands whose response was lost. Meanwhile, the connection looks for the new master.
      retryDelayOnFailover: CLUSTER_RETRIES.delayMs,
      retryDelayOnClusterDown: CLUSTER_RETRIES.delayMs,
      slotsRefreshInterval: CLUSTER_REFRESH_MS,
      // Certificates are for names, which a look-up would replace by addresses.
      dnsLookup: (host, callback) => callback(null, host),
      lazyConnect: true,
    });
  const { sentinelCredentials: sentinel } = address;
  return new Redis({
    ...single,
    ...login,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls.tls }),
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
    sentinels: [...address.sentinels],
    name: address.masterName,
    db: address.database,
    sentinelRetryStrategy: reconnectDelay,
    sentinelCommandTimeout: COMMAND_LIMIT_MS,
  });
}

/**
 * Logs the first of equal errors. Reopens a connection whose database was refused. Returns the function to call when the
 * server refuses a write because it is a replica: the client then reconnects several times a second.
 */
function logState(
  redis: RedisConnection,
  { name, log }: Pick<RedisOptions, 'name' | 'log'>,
): (err: Error) => void {
  // Each attempt to reconnect fails in the same way.
  let lastReason = '';
  let isRefused = false;
  redis.on('error', (err: Error & { command?: { name: string } }) => {
    if (isRefused) return;
    if (err.message !== lastReason) log.warn({ name, err }, 'redis connection failed; reconnecting');
    lastReason = err.message;
    // Otherwise ioredis would continue with database 0.
    isRefused = err.command?.name === 'select';
    if (isRefused) redis.disconnect(true);
  });
  let isReplica = false;
  let master: Timer | undefined;
  redis.on('close', () => {
    isRefused = false;
    master?.cancel();
  });
  redis.on('sentinelError', (err: Error) => log.debug({ err }, 'redis sentinel request failed'));
  const onConnected = (): void => {
    lastReason = '';
    isReplica = false;
    log.info({ name }, 'redis connected');
  };
  redis.on('ready', () => {
    if (isReplica) master = systemClock.setTimer(MASTER_AFTER_MS, onConnected);
    else onConnected();
  });
  return (err) => {
    if (!isReplica) log.warn({ name, err }, 'redis server is a replica and refuses writes; reconnecting');
    isReplica = true;
  };
}

/** Throws if a file cannot be read. */
function readFiles(files: RedisTlsFiles): SecureContextOptions {
  const contents = Object.entries(files).map(([option, path]: [string, string]) => {
    try {
      return [option, readFileSync(path)] as const;
    } catch (thrown) {
      throw new Error(`REDIS_URL: cannot read ${option}_file: ${toError(thrown).message}`, { cause: thrown });
    }
  });
  return Object.fromEntries(contents);
}

/** Connects. Rejects after the first failed attempt; further attempts follow until `disconnect`. */
export async function connectRedis(redis: RedisConnection): Promise<void> {
  const failed = Promise.withResolvers<never>();
  let sentinelError: Error | undefined;
  const noteSentinelError = (err: Error): void => void (sentinelError = err);
  const fail = (err: Error): void => failed.reject(sentinelError ?? err);
  redis.on('sentinelError', noteSentinelError);
  redis.on('error', fail);
  // ioredis does not settle `connect` if a Cluster node reports that the Cluster is down.
  const failByClose = (): void => fail(new Error('redis closed the connection'));
  redis.on('close', failByClose);
  try {
    await Promise.race([redis.connect(), failed.promise]);
  } finally {
    redis.off('sentinelError', noteSentinelError);
    redis.off('error', fail);
    redis.off('close', failByClose);
  }
}

function reconnectDelay(attempt: number): number {
  return Math.min(MAX_RECONNECT_DELAY_MS, 50 * 2 ** Math.min(attempt, 6));
}
