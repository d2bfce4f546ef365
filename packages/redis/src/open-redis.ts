import type { Logger } from '@calls/foundation/logger';
import { Redis } from 'ioredis';

export type { Redis };

const MAX_RECONNECT_DELAY_MS = 2000;
/** How long Redis may take to close its side. ioredis waits it out for a connection that is gone already, too. */
const DISCONNECT_LIMIT_MS = 250;
const CONNECT_LIMIT_MS = 3000;
const COMMAND_LIMIT_MS = 3000;
/** A server that owes an answer for this long is gone without a word: the connection is made anew. */
const SILENCE_LIMIT_MS = 5000;

/**
 * Reconnects for ever. With `failFast` a command rejects while Redis is away, and one whose answer was lost is not sent
 * again; without it commands wait (which the queue's workers want).
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
  redis.on('error', (err: Error) => options.log.debug({ err }, 'redis connection fault'));
  redis.on('ready', () => options.log.info({ name: options.name }, 'redis connected'));
  return redis;
}
