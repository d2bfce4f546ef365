import { silentLogger } from '@calls/foundation/logger';
import { openRedis } from '@calls/redis/open-redis';

/** Deletes all data of the Redis server. */
export async function flushRedis(url: string): Promise<void> {
  const redis = openRedis({ url, name: 'test', failFast: false, log: silentLogger });
  await redis.flushall();
  redis.disconnect();
}
