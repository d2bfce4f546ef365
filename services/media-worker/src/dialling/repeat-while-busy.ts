import { CONTROL_PLANE_BUSY } from '@calls/bus/request-reply';
import { delay, type Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';

/** Pause before busy control-planes are asked again: each handles a limited number of requests at once. */
const BUSY_PAUSE_MS = 1000;

interface BusyOptions {
  clock: Clock;
  /** Ends the wait. */
  signal: AbortSignal;
  /** Time for further attempts. Default: no limit. */
  limitMs?: number;
}

/** Sends a request to control-planes, and repeats it while they are busy. Rejects as `send` does, or on abort. */
export async function repeatWhileBusy<T>(
  send: () => Promise<T>,
  { clock, signal, limitMs = Infinity }: BusyOptions,
): Promise<T> {
  const untilMs = clock.nowMs() + limitMs;
  for (;;) {
    try {
      return await send();
    } catch (thrown) {
      const isBusy = thrown instanceof AppError && thrown.code === CONTROL_PLANE_BUSY;
      if (!isBusy || clock.nowMs() + BUSY_PAUSE_MS > untilMs) throw thrown;
    }
    await delay(clock, BUSY_PAUSE_MS, signal);
  }
}
