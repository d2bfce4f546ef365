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
  /** Readings in a row that contradict it. */
  readonly contradictions: number;
}

export const NOT_OVERLOADED: OverloadState = { isOverloaded: false, contradictions: 0 };

/** One bad second is no overload: a collection of garbage, a burst of joins. */
const READINGS_TO_PAUSE = 2;
const READINGS_TO_GO_ON = 3;
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
  const { isOverloaded } = state;
  const isContradicted = isOverloaded
    ? calls < MIN_CALLS || isBelow(reading, limits, CALM)
    : calls >= MIN_CALLS && !isBelow(reading, limits, { delay: 1, busy: 1 });
  if (!isContradicted) return { isOverloaded, contradictions: 0 };
  const contradictions = state.contradictions + 1;
  const isEnough = contradictions >= (isOverloaded ? READINGS_TO_GO_ON : READINGS_TO_PAUSE);
  return isEnough ? { isOverloaded: !isOverloaded, contradictions: 0 } : { isOverloaded, contradictions };
}

function isBelow(reading: LoopReading, limits: OverloadLimits, part: typeof CALM): boolean {
  return reading.delayP99Ms <= limits.delayMs * part.delay && reading.busyPart <= limits.busyPart * part.busy;
}
