/** Shares of the processor time that the worker needed in the last second and did not get, each 0 to 1. */
export interface LostTime {
  /** Taken by the hypervisor. */
  stolen: number;
  /** Withheld by the CPU limit of the container. */
  throttled: number;
  /** Time in which the main thread was ready to run while other programs used the processors. */
  waited: number;
}

/**
 * What the worker cuts back, in this order, so that callers' audio is not late. Each level includes those before it.
 * `capacity`: capacity shrinks by the lost share. `speculation`: no responses before the end of the user's turn.
 * `storage`: recordings and traces are written in large pieces, new calls are not traced, and only priority calls are
 * admitted.
 */
export const PRESSURE_LEVELS = ['none', 'capacity', 'speculation', 'storage'] as const;
export type PressureLevel = (typeof PRESSURE_LEVELS)[number];

export interface PressureState {
  readonly level: PressureLevel;
  /** Smoothed share of processor time that is lost. */
  readonly lostShare: number;
}

export const NO_PRESSURE: PressureState = { level: 'none', lostShare: 0 };

/** Lost share at which each level starts. A level ends below half of its share. */
const FROM: Record<PressureLevel, number> = { none: 0, capacity: 0.05, speculation: 0.1, storage: 0.2 };
/**
 * Weight of a new reading in the smoothed share. It is higher for a rise, so that pressure is detected sooner than its
 * end.
 */
const WEIGHT = { rise: 0.5, fall: 0.2 };
/** Fewer calls need little processor time, and shedding work would not help them. */
const MIN_CALLS = 5;

/** Returns the pressure after another second with `calls` calls. `isOverloaded`: the event loop is late or busy. */
export function stepPressure(
  state: PressureState,
  { stolen, throttled, waited }: LostTime,
  { calls, isOverloaded }: { calls: number; isOverloaded: boolean },
): PressureState {
  // These overlap: a throttled thread is also waiting.
  const part = Math.min(1, Math.max(stolen, throttled, waited));
  const weight = part > state.lostShare ? WEIGHT.rise : WEIGHT.fall;
  const lostShare = state.lostShare + (part - state.lostShare) * weight;
  if (calls < MIN_CALLS) return { level: 'none', lostShare };
  const level = levelOf(state.level, lostShare);
  return { level: isOverloaded && !isAtLeast(level, 'speculation') ? 'speculation' : level, lostShare };
}

export function isAtLeast(level: PressureLevel, minimum: PressureLevel): boolean {
  return PRESSURE_LEVELS.indexOf(level) >= PRESSURE_LEVELS.indexOf(minimum);
}

/** Share of the capacity that remains. */
export function usableShare({ level, lostShare }: PressureState): number {
  return level === 'none' ? 1 : 1 - lostShare;
}

function levelOf(current: PressureLevel, lostShare: number): PressureLevel {
  const applies = (level: PressureLevel): boolean =>
    lostShare >= FROM[level] / (isAtLeast(current, level) ? 2 : 1);
  return PRESSURE_LEVELS.findLast(applies) ?? 'none';
}
