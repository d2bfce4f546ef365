import { createHash } from 'node:crypto';
import type { RedisConnection } from '../open-redis.ts';

/**
 * A Lua script. Its text is sent only if the server has not cached it: at first use and after a restart of the
 * server.
 */
export class RedisScript {
  readonly #text: string;
  readonly #sha1: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha1 = createHash('sha1').update(text).digest('hex');
  }

  async run(
    redis: RedisConnection,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha1, keys.length, ...keys, ...args);
    } catch (thrown) {
      if (!(Error.isError(thrown) && thrown.message.startsWith('NOSCRIPT'))) throw thrown;
      return redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }
}

/**
 * Each window is a list of the times at which its permits were granted, oldest first, in µs of the server's clock. A
 * permit takes ten bytes. A list never holds more permits than the limit, and expires after twice the length of the
 * window without a new permit.
 *
 * KEYS: the windows. ARGV: limit and length in µs of each.
 * Returns [1 or 0, now, then for each window: permits in use, time of the newest or 0, time at which the next is
 * available or 0].
 *
 * If the clock was set back, time continues from the newest permit. If that is further ahead than the window is long,
 * the window is deleted.
 */
export const takeScript = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for i, key in ipairs(KEYS) do
  local ahead = tonumber(redis.call('LINDEX', key, -1) or now) - now
  local length = tonumber(ARGV[2 * i])
  if ahead > length or ahead <= -length then
    redis.call('UNLINK', key)
  elseif ahead > 0 then
    now = now + ahead
  end
end

local granted, frees = true, {}
for i, key in ipairs(KEYS) do
  local limit, length = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local oldest = redis.call('LINDEX', key, 0)
  while oldest and tonumber(oldest) <= now - length do
    redis.call('LPOP', key)
    oldest = redis.call('LINDEX', key, 0)
  end
  local blocking = redis.call('LINDEX', key, -limit)
  frees[i] = blocking and tonumber(blocking) + length or 0
  if blocking then granted = false end
end

local taken, reply = {}, { granted and 1 or 0, now }
for i, key in ipairs(KEYS) do
  if granted and not taken[key] then
    redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, ARGV[2 * i] / 500)
    taken[key] = true
  end
  table.insert(reply, redis.call('LLEN', key))
  table.insert(reply, tonumber(redis.call('LINDEX', key, -1) or 0))
  table.insert(reply, frees[i])
end
return reply
`);

/** KEYS: the windows. ARGV: the time at which the permit was taken. */
export const releaseScript = new RedisScript(`
for _, key in ipairs(KEYS) do
  redis.call('LREM', key, -1, ARGV[1])
end
return 1
`);
