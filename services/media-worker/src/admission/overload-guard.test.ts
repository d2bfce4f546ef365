import { describe, expect, it } from '@jest/globals';
import { NOT_OVERLOADED, stepOverload, type LoopReading, type OverloadState } from './overload-guard.ts';

const limits = { delayMs: 60, busyPart: 0.85 };
const calm: LoopReading = { delayP99Ms: 10, busyPart: 0.5 };
const late: LoopReading = { delayP99Ms: 61, busyPart: 0.5 };
const busy: LoopReading = { delayP99Ms: 10, busyPart: 0.86 };
const between: LoopReading = { delayP99Ms: 40, busyPart: 0.8 };

/** Whether it is overloaded after each of the readings. */
function after(readings: LoopReading[], calls = 20, from: OverloadState = NOT_OVERLOADED): boolean[] {
  let state = from;
  return readings.map((reading) => {
    state = stepOverload(state, reading, calls, limits);
    return state.isOverloaded;
  });
}

describe('the overload guard', () => {
  it('pauses after two bad seconds in a row, late or busy', () => {
    expect(after([late, calm, late, calm, busy])).toEqual([false, false, false, false, false]);
    expect(after([late, late])).toEqual([false, true]);
    expect(after([busy, late])).toEqual([false, true]);
  });

  it('goes on after three calm seconds in a row, and not at the limit', () => {
    const overloaded = { isOverloaded: true, contradictions: 0 };
    expect(after([calm, calm, between, calm, calm, calm], 20, overloaded)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(after([between, between, between, between], 20, overloaded)).not.toContain(false);
    expect(after([between, between, between, between])).not.toContain(true);
  });

  it('does not blame a few calls for a slow machine', () => {
    expect(after([late, late, late], 4)).not.toContain(true);
    expect(after([late, late], 5)).toEqual([false, true]);
    expect(after([late, late, late], 4, { isOverloaded: true, contradictions: 0 }).at(-1)).toBe(false);
  });
});
