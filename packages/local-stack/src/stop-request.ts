import { systemClock } from '@calls/foundation/clock';

/**
 * One Ctrl-C may arrive several times: the terminal signals the whole process group, and npm and the parent process
 * forward it. Signals within this time count as one.
 */
const REPEAT_WINDOW_MS = 1_000;

/**
 * Waits for a stop request: SIGINT, SIGTERM, SIGHUP, the end of the parent process, or `stop`. A second SIGINT from
 * an impatient user ends the process immediately, after `onSecondSignal`. Supervisors repeat SIGTERM.
 */
export class StopRequest {
  readonly requested: Promise<string>;
  onSecondSignal: () => void = () => undefined;
  readonly #controller = new AbortController();
  #firstMs: number | undefined;
  #resolve: (reason: string) => void = () => undefined;

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

  stop(reason: string): void {
    this.#firstMs ??= systemClock.nowMs();
    this.#controller.abort(new Error(`stopped: ${reason}`));
    this.#resolve(reason);
  }

  #onSignal(signal: string): void {
    const isSecondSignal =
      signal === 'SIGINT' &&
      this.#firstMs !== undefined &&
      systemClock.nowMs() - this.#firstMs >= REPEAT_WINDOW_MS;
    if (isSecondSignal) {
      this.onSecondSignal();
      process.exit(130);
    }
    this.stop(signal);
  }
}
