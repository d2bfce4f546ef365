import { withTimeout, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';

/** How long a stopping worker waits for the work of calls that have left it. */
export const BACKGROUND_LIMIT_MS = 5000;

/** Work that may outlast its call (see ToolServices). Disposal waits for it, at most BACKGROUND_LIMIT_MS. */
export class BackgroundWork implements AsyncDisposable {
  readonly #running = new Set<Promise<void>>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ clock, log }: { clock: Clock; log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `work` must not reject. */
  add(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = Promise.all(this.#running);
    try {
      await withTimeout(this.#clock, running, BACKGROUND_LIMIT_MS, 'background work');
    } catch (thrown) {
      this.#log.warn(
        { count: this.#running.size, err: toError(thrown) },
        'worker stops before all tool calls are undone',
      );
    }
  }
}
