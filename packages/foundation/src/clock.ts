import { TimeoutError } from './errors.ts';

/** A started timer. `cancel` is idempotent and may be called after it fired. */
export interface Timer {
  cancel(): void;
}

/** The only source of time in the system. Tests use a virtual clock. */
export interface Clock {
  /** Monotonic milliseconds with a fractional part; the origin is arbitrary. */
  nowMs(): number;
  /** Milliseconds since the Unix epoch. For events and rows, never for pacing. */
  wallMs(): number;
  /** Runs `fire` once, `delayMs` from now (0 means as soon as possible, never synchronously). */
  setTimer(delayMs: number, fire: () => void): Timer;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** `clock`, with a wall time that ignores later steps of the machine's clock. */
export function withSteadyWallTime(clock: Clock): Clock {
  const epochMs = clock.wallMs() - clock.nowMs();
  return {
    nowMs: () => clock.nowMs(),
    wallMs: () => Math.round(epochMs + clock.nowMs()),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
  };
}

/** Resolves after `delayMs`; rejects with the signal's reason as soon as `signal` aborts. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A timer that fires this late means that the process was paused. */
const PAUSED_MS = 50;

/**
 * Like `setTimer`, for limits of other parties. After a pause of the process, timers fire before sockets are read; then
 * `fire` runs only after one reading, which may cancel the timer.
 */
export function setLimit(clock: Clock, limitMs: number, fire: () => void): Timer {
  const dueMs = clock.nowMs() + limitMs;
  let reading: NodeJS.Immediate | undefined;
  const timer = clock.setTimer(limitMs, () => {
    if (clock.nowMs() - dueMs < PAUSED_MS) fire();
    else reading = setImmediate(fire);
  });
  return {
    cancel: () => {
      timer.cancel();
      clearImmediate(reading);
    },
  };
}

/** Settles as `promise` does, or rejects with a TimeoutError after `limitMs`. Does not cancel the promise. */
export function withTimeout<T>(clock: Clock, promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setLimit(clock, limitMs, () => reject(new TimeoutError(what, limitMs)));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Settles as `promise` does, or rejects with the signal's reason as soon as it aborts. Leaves no listener behind. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
