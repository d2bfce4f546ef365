import type { Clock } from '@calls/foundation/clock';
import type { Deadline } from './exchange.ts';

/**
 * A queue of pushed messages with one reader, which pulls. Messages before the end or error are delivered first. The
 * sender must bound it.
 */
export class Inbox<T> {
  readonly #clock: Clock;
  readonly #timeout: (message: string) => Error;
  readonly #items: T[] = [];
  #outcome: { error?: Error } | undefined;
  #wake: (() => void) | undefined;

  /** `timeout` creates the error for a passed deadline. */
  constructor(clock: Clock, timeout: (message: string) => Error) {
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** Whether the reader waits on an empty queue. */
  get isWaitedFor(): boolean {
    return this.#wake !== undefined;
  }

  /** Ignored after the end. */
  push(item: T): void {
    if (this.#outcome) return;
    this.#items.push(item);
    this.#wake?.();
  }

  end(error?: Error): void {
    if (this.#outcome) return;
    this.#outcome = error ? { error } : {};
    this.#wake?.();
  }

  /** The next item; null after the last. Rejects with the error, or with the signal's reason on abort. */
  async next(deadline: Deadline, signal: AbortSignal): Promise<T | null> {
    for (;;) {
      signal.throwIfAborted();
      const item = this.#items.shift();
      if (item !== undefined) return item;
      if (this.#outcome?.error) throw this.#outcome.error;
      if (this.#outcome) return null;
      await this.#change(deadline, signal);
    }
  }

  #change(deadline: Deadline, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake = undefined;
        timer.cancel();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = this.#clock.setTimer(deadline.atMs - this.#clock.nowMs(), () =>
        this.end(this.#timeout(deadline.message)),
      );
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
