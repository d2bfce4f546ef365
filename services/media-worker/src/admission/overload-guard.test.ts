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
  it('pauses after one bad second, late or busy', () => {
    expect(after([calm, late])).toEqual([false, true]);
    expect(after([calm, busy])).toEqual([false, true]);
    expect(after([between, between, between])).not.toContain(true);
  });

  it('goes on after two calm seconds in a row, and not at the limit', () => {
    expect(after([late, calm, between, calm, calm, between])).toEqual([true, true, true, true, false, false]);
    expect(after([late, between, between, between])).not.toContain(false);
    expect(after([late, calm, late, calm, calm])).toEqual([true, true, true, true, false]);
  });

  it('does not blame a few calls for a slow machine', () => {
    expect(after([late, late, late], 4)).not.toContain(true);
    expect(after([late], 5)).toEqual([true]);
    expect(after([late], 4, { isOverloaded: true, calm: 0 })).toEqual([false]);
  });
});
