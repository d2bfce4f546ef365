/** What one second of the main thread was like. */
export interface LoopReading {
  /** How late the thread got to what was due: 99 of 100 times by no more than this. */
  delayP99Ms: number;
  /** Part of the time in which it had something to do, 0 to 1. */
  busyPart: number;
}

/** From where on no call is taken that can wait. */
export interface OverloadLimits {
  delayMs: number;
  busyPart: number;
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
const CALM = { delay: 0.5, busy: 0.9 };
/** Fewer calls than these are not what keeps the thread busy; nobody would be served better by refusing them. */
const MIN_CALLS = 5;

/** Whether a worker with `calls` calls has more than it can serve in time, after another reading. */
export function stepOverload(
  state: OverloadState,
  reading: LoopReading,
  calls: number,
  limits: OverloadLimits,
): OverloadState {
  if (calls < MIN_CALLS) return NOT_OVERLOADED;
  if (!isBelow(reading, limits, { delay: 1, busy: 1 })) return { isOverloaded: true, calm: 0 };
  if (!state.isOverloaded) return NOT_OVERLOADED;
  const calm = isBelow(reading, limits, CALM) ? state.calm + 1 : 0;
  return calm < CALM_READINGS_TO_GO_ON ? { isOverloaded: true, calm } : NOT_OVERLOADED;
}

function isBelow(reading: LoopReading, limits: OverloadLimits, part: typeof CALM): boolean {
  return reading.delayP99Ms <= limits.delayMs * part.delay && reading.busyPart <= limits.busyPart * part.busy;
}
