import type { Clock } from '@calls/foundation/clock';
import { AppError, TimeoutError } from '@calls/foundation/errors';
import type { RedisConnection } from '../open-redis.ts';
import { decisionOf, type LogState, type Outcome } from './outcome.ts';
import { windowKey, type Decision, type RateLimits, type Window } from './rate-limits.ts';
import { releaseScript, takeScript, type RedisScript } from './take-script.ts';

/** Maximum time that a request waits for Redis. */
const RESPONSE_LIMIT_MS = 100;
export const POLL_INTERVAL_MS = 25;

/**
 * Counts in Redis, for all processes together, by Redis's clock: one round trip per take. `take` rejects if
 * Redis is unavailable or does not respond within 100 ms. The caller owns the connection.
 */
export class RedisRateLimits implements RateLimits {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;

  constructor(redis: RedisConnection, clock: Clock) {
    this.#redis = redis;
    this.#clock = clock;
  }

  async take(subject: string, windows: readonly Window[]): Promise<Decision> {
    const outcome = await this.attempt(subject, windows);
    const release = async (): Promise<void> => {
      const keys = new Set(windows.map((window) => windowKey(subject, window)));
      await this.#run(releaseScript, [...keys], [outcome.atUs]).catch(() => undefined);
    };
    return decisionOf(windows, outcome, release);
  }

  /** Like `take`, with the time of Redis's decision. */
  async attempt(subject: string, windows: readonly Window[]): Promise<Outcome> {
    const keys = windows.map((window) => windowKey(subject, window));
    const args = windows.flatMap(({ limit, windowMs }) => [limit, windowMs * 1000]);
    return outcomeOf(await this.#run(takeScript, keys, args), windows.length);
  }

  #run(script: RedisScript, keys: readonly string[], args: readonly number[]): Promise<unknown> {
    return withResponseLimit(this.#clock, script.run(this.#redis, keys, args));
  }
}

/** The limit counts in steps, so that a process too busy to read the response does not report a timeout immediately. */
function withResponseLimit<T>(clock: Clock, response: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let pollsLeft = RESPONSE_LIMIT_MS / POLL_INTERVAL_MS;
    const look = (): void => {
      pollsLeft -= 1;
      if (pollsLeft === 0) reject(new TimeoutError('redis', RESPONSE_LIMIT_MS));
      else timer = clock.setTimer(POLL_INTERVAL_MS, look);
    };
    let timer = clock.setTimer(POLL_INTERVAL_MS, look);
    response.then(resolve, reject).finally(() => timer.cancel());
  });
}

function outcomeOf(reply: unknown, windowCount: number): Outcome {
  const numbers: unknown[] = Array.isArray(reply) ? reply : [];
  const at = (index: number): number => {
    const value = numbers[index];
    if (typeof value !== 'number') throw new AppError('rate_limits_answer', 'unexpected response from Redis');
    return value;
  };
  const logs = Array.from({ length: windowCount }, (_, window): LogState => {
    const first = 2 + 3 * window;
    return { used: at(first), newestUs: at(first + 1) || null, freesAtUs: at(first + 2) || null };
  });
  return { granted: at(0) === 1, atUs: at(1), logs };
}
