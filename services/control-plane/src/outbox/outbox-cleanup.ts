import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import type { Database } from '@calls/store/store';
import { deleteOutbox } from '@calls/store/tables/outbox';

const FLUSH_INTERVAL_MS = 250;
/**
 * The limit is reached only while the database is unavailable. The relay then sends the dropped rows again, which is
 * harmless.
 */
const MAX_WAITING = 10_000;

/** Deletes sent outbox rows in batches, outside of the requests that sent them. */
export class OutboxCleanup implements AsyncDisposable {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #flushes: AsyncDisposable;
  #waiting: string[] = [];

  constructor(deps: { db: Database; clock: Clock; log: Logger }) {
    this.#db = deps.db;
    this.#log = deps.log;
    this.#flushes = startPeriodicTask({
      ...deps,
      name: 'sent outbox rows',
      intervalMs: FLUSH_INTERVAL_MS,
      run: () => this.#flush(),
    });
  }

  add(outboxId: string): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(outboxId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushes[Symbol.asyncDispose]();
    await this.#flush().catch((thrown: unknown) => {
      this.#log.warn({ err: toError(thrown) }, 'failed to delete sent outbox rows; left to the relay');
    });
  }

  async #flush(): Promise<void> {
    const ids = this.#waiting;
    if (ids.length === 0) return;
    this.#waiting = [];
    try {
      await deleteOutbox(this.#db, ids);
    } catch (thrown) {
      this.#waiting = [...ids, ...this.#waiting].slice(0, MAX_WAITING);
      throw thrown;
    }
  }
}
