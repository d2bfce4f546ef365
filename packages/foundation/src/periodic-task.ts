import { delay, type Clock } from './clock.ts';
import { toError } from './errors.ts';
import type { Logger } from './logger.ts';

/**
 * Runs `run` repeatedly, `intervalMs` after the end of the last run, never concurrently. Logs failures and pauses
 * longer after them. Disposal waits for a running run.
 */
export function startPeriodicTask(options: {
  name: string;
  intervalMs: number;
  clock: Clock;
  log: Logger;
  run: (signal: AbortSignal) => Promise<void>;
}): AsyncDisposable {
  const { clock, log, intervalMs, name } = options;
  const stop = new AbortController();
  const loop = async (): Promise<void> => {
    let failures = 0;
    while (!stop.signal.aborted) {
      try {
        await options.run(stop.signal);
        failures = 0;
      } catch (thrown) {
        failures += 1;
        log.warn({ task: name, failures, err: toError(thrown) }, 'periodic task failed; will run again');
      }
      const pauseMs = intervalMs * Math.min(2 ** failures, 8);
      await delay(clock, pauseMs, stop.signal).catch(() => undefined);
    }
  };
  const ended = loop();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}
