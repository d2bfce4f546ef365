/** A timer that was asked for; `cancel` is idempotent and may be called after it fired. */
export interface Timer {
  cancel(): void;
}

/** The only source of time in the system. Tests put a virtual clock here. */
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
