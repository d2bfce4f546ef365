import type { Logger } from '@calls/foundation/logger';
import { Redis } from 'ioredis';

export type { Redis };

const MAX_RECONNECT_DELAY_MS = 2000;
/** Time limit for Redis to close its side. ioredis waits this long even if the connection is already closed. */
const DISCONNECT_LIMIT_MS = 250;
const CONNECT_LIMIT_MS = 3000;
const COMMAND_LIMIT_MS = 3000;
/** If the server does not respond for this long, the connection counts as lost and is reopened. */
const SILENCE_LIMIT_MS = 5000;

/**
 * Reconnects without limit. With `failFast`, a command rejects while Redis is unavailable and is not resent
 * if its response was lost. Without it, commands wait, as the queue's workers require.
 */
export function openRedis(options: { url: string; name: string; failFast: boolean; log: Logger }): Redis {
  const redis = new Redis(options.url, {
    connectionName: options.name,
    maxRetriesPerRequest: options.failFast ? 0 : null,
    enableOfflineQueue: !options.failFast,
    connectTimeout: CONNECT_LIMIT_MS,
    disconnectTimeout: DISCONNECT_LIMIT_MS,
    ...(options.failFast && { commandTimeout: COMMAND_LIMIT_MS, socketTimeout: SILENCE_LIMIT_MS }),
    retryStrategy: (attempt) => Math.min(MAX_RECONNECT_DELAY_MS, 50 * 2 ** Math.min(attempt, 6)),
    lazyConnect: true,
  });
  redis.on('error', (err: Error) => options.log.debug({ err }, 'redis connection failed'));
  redis.on('ready', () => options.log.info({ name: options.name }, 'redis connected'));
  return redis;
}
