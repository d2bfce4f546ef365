import { systemClock, type Clock } from '@calls/foundation/clock';
import { POLL_INTERVAL_MS } from '@calls/redis/rate-limits/redis-rate-limits';

/**
 * A clock for tests of other features: a process waits 100 times as long for Redis before it counts rate limits alone.
 */
export const slowRedisCheckClock: Clock = {
  ...systemClock,
  setTimer: (ms, fire) => systemClock.setTimer(ms === POLL_INTERVAL_MS ? 100 * ms : ms, fire),
};
