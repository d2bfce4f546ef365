import { systemClock } from '@calls/foundation/clock';

/**
 * One Ctrl-C may arrive several times: the terminal signals the whole process group, and npm and this process's parent
 * pass theirs on. What comes so soon after the first is the same wish.
 */
const REPEAT_WINDOW_MS = 1_000;

/**
 * Waits for the wish to stop: SIGINT, SIGTERM, SIGHUP, the end of the process that started this one, or `stop`. A second
 * signal, by a person who doesn't want to wait, ends the process at once, after `onImpatience`.
 */
export class StopRequest {
  readonly requested: Promise<string>;
  onImpatience: () => void = () => undefined;
  readonly #controller = new AbortController();
  #firstMs: number | undefined;
  #resolve: (why: string) => void = () => undefined;

  constructor() {
    this.requested = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => this.#onSignal(signal));
    }
    process.once('disconnect', () => this.stop('the parent process ended'));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(why: string): void {
    this.#firstMs ??= systemClock.nowMs();
    this.#controller.abort(new Error(`stopped: ${why}`));
    this.#resolve(why);
  }

  #onSignal(signal: string): void {
    const isImpatience =
      this.#firstMs !== undefined && systemClock.nowMs() - this.#firstMs >= REPEAT_WINDOW_MS;
    if (isImpatience) {
      this.onImpatience();
      process.exit(130);
    }
    this.stop(signal);
  }
}
