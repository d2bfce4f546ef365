/** Load of the worker in the last second. */
export interface LoadReading {
  /** 99th percentile of the event loop delay. */
  delayP99Ms: number;
  /** Share of the time that the event loop was busy, 0 to 1. */
  busyShare: number;
  /** Delay of embedded speech-to-text beyond its own processing time. */
  sttLatenessMs: number;
}

/** Thresholds above which the worker accepts priority calls only. */
export interface OverloadLimits {
  delayMs: number;
  busyShare: number;
  sttLatenessMs: number;
}

export interface OverloadState {
  readonly isOverloaded: boolean;
  /** Number of consecutive calm readings. */
  readonly calm: number;
}

export const NOT_OVERLOADED: OverloadState = { isOverloaded: false, calm: 0 };

/**
 * Consecutive calm readings that end an overload. A single bad reading starts one, because calls arrive before their
 * load shows, and a call loses nothing by another second in the queue.
 */
const CALM_READINGS_TO_RECOVER = 2;
/**
 * Shares of the limits. A reading below them is calm. Between calm and overload the state does not change, so that
 * single calls do not toggle it.
 */
const CALM = { lateness: 0.5, busy: 0.9 };
/**
 * Below this number of calls, something else keeps the thread busy, so rejecting calls would not help. Late STT counts
 * in any case: it needs so much CPU time that a single call can delay it.
 */
const MIN_CALLS = 5;

/** Returns whether the worker is overloaded after another reading, with `calls` calls. */
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
  return calm < CALM_READINGS_TO_RECOVER ? { isOverloaded: true, calm } : NOT_OVERLOADED;
}

function isBelow(reading: LoadReading, limits: OverloadLimits, part: typeof CALM): boolean {
  return (
    reading.delayP99Ms <= limits.delayMs * part.lateness &&
    reading.sttLatenessMs <= limits.sttLatenessMs * part.lateness &&
    reading.busyShare <= limits.busyShare * part.busy
  );
}
