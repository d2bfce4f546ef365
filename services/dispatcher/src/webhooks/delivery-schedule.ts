/** A try that failed. */
export interface FailedTry {
  /** How many were left, this one included, of `tries`. */
  triesLeft: number;
  tries: number;
  /** Another would fail as well. */
  isPermanent: boolean;
  /** Its time is over. */
  isGivenUp: boolean;
}

/** The pause before the next try, which doubles with each; null: there is none. */
export function pauseAfter(failed: FailedTry, firstPauseMs: number): number | null {
  if (failed.isPermanent || failed.isGivenUp || failed.triesLeft <= 1) return null;
  return firstPauseMs * 2 ** Math.max(0, failed.tries - failed.triesLeft);
}

const RUNNING_LIMIT = 4;
const FAILING_AFTER = 5;

/** After that many failed tries in a row, whatever it was told. */
export function isFailing(failuresInARow: number): boolean {
  return failuresInARow >= FAILING_AFTER;
}

/** What one process tells one receiver at a time. */
export function runningLimit(failuresInARow: number): number {
  return isFailing(failuresInARow) ? 1 : RUNNING_LIMIT;
}
