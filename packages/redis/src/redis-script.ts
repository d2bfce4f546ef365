import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script. Its text goes over the wire only where the server doesn't know it yet: at first, and after a restart. */
export class RedisScript {
  readonly #text: string;
  readonly #sha1: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha1 = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha1, keys.length, ...keys, ...args);
    } catch (thrown) {
      if (!(Error.isError(thrown) && thrown.message.startsWith('NOSCRIPT'))) throw thrown;
      return redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }
}
