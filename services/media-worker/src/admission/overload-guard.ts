/** Load of the worker in the last second. */
export interface LoadReading {
  /** How late the thread got to what was due: 99 of 100 times by no more than this. */
  delayP99Ms: number;
  /** Part of the time in which it had something to do, 0 to 1. */
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
  /** Calm readings in a row. */
  readonly calm: number;
}

export const NOT_OVERLOADED: OverloadState = { isOverloaded: false, calm: 0 };

/**
 * One bad reading is enough: calls come faster than their load shows, and one that waits a second more in its queue loses
 * nothing.
 */
const CALM_READINGS_TO_GO_ON = 2;
/** Of the limits: what is below is calm. In between it stays as it is, so that one call more or less changes nothing. */
const CALM = { lateness: 0.5, busy: 0.9 };
/**
 * Fewer calls than these are not what keeps the thread busy: to refuse more would help none of them. Recognition takes so
 * much more of the processor that it can be late with a single one.
 */
const MIN_CALLS = 5;

/** Whether a worker with `calls` calls has more than it can serve in time, after another reading. */
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
