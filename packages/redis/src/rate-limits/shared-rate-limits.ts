import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { openRedis } from '../open-redis.ts';
import { LocalRateLimits } from './local-rate-limits.ts';
import type { Decision, RateLimits, Window } from './rate-limits.ts';
import { RedisRateLimits } from './redis-rate-limits.ts';

/** How soon an outage, and its end, are seen where no request shows them. */
const PROBE_INTERVAL_MS = 250;
/** A take that always writes: a server that answers and can't write is no help. */
const PROBE: Window = { name: 'probe', limit: 1, windowMs: 1 };

/** Exact over all processes while Redis works. While it doesn't, each process counts alone and requests aren't held up. */
export interface SharedRateLimits extends RateLimits, AsyncDisposable {
  /** This process counts alone. Ends by itself, within three seconds of Redis being back. */
  readonly degraded: boolean;
}

/** Resolves where Redis is away, too. */
export async function openRateLimits(options: {
  redisUrl: string;
  clock: Clock;
  log: Logger;
}): Promise<SharedRateLimits> {
  const { clock, log } = options;
  const redis = openRedis({ url: options.redisUrl, name: 'rate-limits', failFast: true, log });
  const shared = new RedisRateLimits(redis, clock);
  const local = new LocalRateLimits(clock);
  let degraded = false;

  const degrade = (thrown: unknown): void => {
    if (!degraded) log.warn({ err: toError(thrown) }, 'redis is away, rate limits are counted per process');
    degraded = true;
  };
  const recover = (): void => {
    if (!degraded) return;
    log.info({}, 'redis is back, rate limits are shared again');
    degraded = false;
    local.clear();
  };

  await redis.connect().catch(degrade);
  const probe = startPeriodicTask({
    name: 'rate limits probe',
    intervalMs: PROBE_INTERVAL_MS,
    clock,
    log,
    run: () => shared.take('probe', [PROBE]).then(recover, degrade),
  });
  return {
    get degraded() {
      return degraded;
    },
    async take(subject, windows): Promise<Decision> {
      if (!degraded) {
        try {
          return await shared.take(subject, windows);
        } catch (thrown) {
          degrade(thrown);
        }
      }
      return local.take(subject, windows);
    },
    async [Symbol.asyncDispose]() {
      await probe[Symbol.asyncDispose]();
      redis.disconnect();
    },
  };
}
