import type { KeyHolder } from '@calls/store/tables/api-keys';

type FindKeys = (prefixes: readonly string[]) => Promise<readonly KeyHolder[]>;

interface Waiting {
  result: Promise<KeyHolder | null>;
  resolve: (holder: KeyHolder | null) => void;
  reject: (reason: unknown) => void;
}

/** Maximum number of prefixes per query. */
const MAX_BATCH = 500;

/**
 * Looks up keys by prefix in batches, one query at a time. Any number of unknown keys uses one database connection, and
 * a valid key among them waits for few queries. The number of waiting look-ups is bounded by the number of requests.
 */
export class KeyLookUps {
  readonly #find: FindKeys;
  readonly #waiting = new Map<string, Waiting>();
  #running = false;

  constructor(find: FindKeys) {
    this.#find = find;
  }

  /** Null if no usable key has the prefix. Rejects if the query fails. */
  find(prefix: string): Promise<KeyHolder | null> {
    const known = this.#waiting.get(prefix);
    if (known) return known.result;
    const { promise: result, resolve, reject } = Promise.withResolvers<KeyHolder | null>();
    this.#waiting.set(prefix, { result, resolve, reject });
    if (!this.#running) void this.#run();
    return result;
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Waits, so that look-ups of the same turn of the event loop share a query.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting.entries()].slice(0, MAX_BATCH);
      for (const [prefix] of batch) this.#waiting.delete(prefix);
      try {
        const holders = await this.#find(batch.map(([prefix]) => prefix));
        const found = new Map(holders.map((holder) => [holder.prefix, holder]));
        for (const [prefix, { resolve }] of batch) resolve(found.get(prefix) ?? null);
      } catch (thrown) {
        for (const [, { reject }] of batch) reject(thrown);
      }
    }
    this.#running = false;
  }
}
