/** A failed delivery attempt. */
export interface FailedAttempt {
  /** Attempts that are not in `tries`, including this one. */
  triesLeft: number;
  tries: number;
  /** Whether a retry would fail, too. */
  isPermanent: boolean;
  /** The delivery's deadline has passed. */
  isGivenUp: boolean;
}

/** The pause before the next attempt, which doubles with each failure; null if there is none. */
export function pauseAfter(failed: FailedAttempt, firstPauseMs: number): number | null {
  if (failed.isPermanent || failed.isGivenUp || failed.triesLeft <= 1) return null;
  return firstPauseMs * 2 ** Math.max(0, failed.tries - failed.triesLeft);
}

const RUNNING_LIMIT = 4;
const FAILING_AFTER = 5;

/** Whether the receiver counts as failing: this many consecutive attempts failed, of any event. */
export function isFailing(failuresInARow: number): boolean {
  return failuresInARow >= FAILING_AFTER;
}

/** Maximum number of deliveries that one process sends to one receiver at the same time. */
export function runningLimit(failuresInARow: number): number {
  return isFailing(failuresInARow) ? 1 : RUNNING_LIMIT;
}
