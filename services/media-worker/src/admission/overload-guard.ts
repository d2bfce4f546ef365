/** Load of the worker in the last second. */
export interface LoadReading {
  /** 99th percentile of the event loop delay. */
  delayP99Ms: number;
  /** Busy share of the time, 0 to 1. */
  busyPart: number;
  /** Delay of embedded speech-to-text beyond its own processing time. */
  sttLatenessMs: number;
}

/** Thresholds above which the worker accepts priority calls only. */
export interface OverloadLimits {
  delayMs: number;
  busyPart: number;
  sttLatenessMs: number;
}

export interface OverloadState {
  readonly isOverloaded: boolean;
  /** Consecutive calm readings. */
  readonly calm: number;
}

export const NOT_OVERLOADED: OverloadState = { isOverloaded: false, calm: 0 };

/**
 * One bad reading is sufficient: calls arrive faster than their load shows, and a call that waits another second in the
 * queue loses nothing.
 */
const CALM_READINGS_TO_GO_ON = 2;
/**
 * Shares of the limits. A reading below them is calm. Between calm and overload the state does not change, so that
 * single calls do not toggle it.
 */
const CALM = { lateness: 0.5, busy: 0.9 };
/**
 * With fewer calls, they are not what keeps the thread busy, so rejecting more would not help. STT uses so much CPU
 * time that it can be late with a single call.
 */
const MIN_CALLS = 5;

/** Whether the worker is overloaded with `calls` calls, after another reading. */
export function stepOverload(
  state: OverloadState,
  reading: LoadReading,
  calls: number,
  limits: OverloadLimits,
): OverloadState {
  const isLate = reading.sttLatenessMs > limits.sttLatenessMs;
  if (calls === 0 || (calls < MIN_CALLS && !isLate)) return NOT_OVERLOADED;
  if (!isBelow(reading, limits, { lateness: 1, busy: 1 })) return { isOverloaded: true, calm: 0 };
  if (!state.isOverloaded) return NOT_OVERLOADED;
  const calm = isBelow(reading, limits, CALM) ? state.calm + 1 : 0;
  return calm < CALM_READINGS_TO_GO_ON ? { isOverloaded: true, calm } : NOT_OVERLOADED;
}

function isBelow(reading: LoadReading, limits: OverloadLimits, part: typeof CALM): boolean {
  return (
    reading.delayP99Ms <= limits.delayMs * part.lateness &&
    reading.sttLatenessMs <= limits.sttLatenessMs * part.lateness &&
    reading.busyPart <= limits.busyPart * part.busy
  );
}
