import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { connectRedis, openRedis } from '../open-redis.ts';
import { LocalRateLimits } from './local-rate-limits.ts';
import type { Decision, RateLimits, Window } from './rate-limits.ts';
import { RedisRateLimits } from './redis-rate-limits.ts';

/** How soon an outage and its end are detected without requests. */
const PROBE_INTERVAL_MS = 250;
/** A take that always writes: detects a server that responds but cannot write. */
const PROBE: Window = { name: 'probe', limit: 1, windowMs: 1 };

/**
 * Exact over all processes while Redis works. During an outage each process counts alone, without delaying
 * requests.
 */
export interface SharedRateLimits extends RateLimits, AsyncDisposable {
  /** Whether this process counts alone. Ends within three seconds of Redis being available again. */
  readonly degraded: boolean;
}

/** Resolves even if Redis is unavailable. */
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
    if (!degraded)
      log.warn({ err: toError(thrown) }, 'redis unavailable; rate limits are counted per process');
    degraded = true;
  };
  const recover = (): void => {
    if (!degraded) return;
    log.info({}, 'redis available; rate limits are shared again');
    degraded = false;
    local.clear();
  };

  await connectRedis(redis).catch(degrade);
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
