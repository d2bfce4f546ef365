import { describe, expect, it } from '@jest/globals';
import { NOT_OVERLOADED, stepOverload, type LoadReading, type OverloadState } from './overload-guard.ts';

const limits = { delayMs: 60, busyShare: 0.85, sttLatenessMs: 1000 };
const calm: LoadReading = { delayP99Ms: 10, busyShare: 0.5, sttLatenessMs: 0 };
const late: LoadReading = { delayP99Ms: 61, busyShare: 0.5, sttLatenessMs: 0 };
const busy: LoadReading = { delayP99Ms: 10, busyShare: 0.86, sttLatenessMs: 0 };
const between: LoadReading = { delayP99Ms: 40, busyShare: 0.8, sttLatenessMs: 0 };

/** Whether the guard reports overload after each of the readings. */
function after(readings: LoadReading[], calls = 20, from: OverloadState = NOT_OVERLOADED): boolean[] {
  let state = from;
  return readings.map((reading) => {
    state = stepOverload(state, reading, calls, limits);
    return state.isOverloaded;
  });
}

describe('overload guard', () => {
  it('pauses after one second in which the event loop is late or busy', () => {
    expect(after([calm, late])).toEqual([false, true]);
    expect(after([calm, busy])).toEqual([false, true]);
    expect(after([between, between, between])).not.toContain(true);
  });

  it('resumes after two consecutive calm seconds, but not while the load is near the limit', () => {
    expect(after([late, calm, between, calm, calm, between])).toEqual([true, true, true, true, false, false]);
    expect(after([late, between, between, between])).not.toContain(false);
    expect(after([late, calm, late, calm, calm])).toEqual([true, true, true, true, false]);
  });

  it('ignores a slow machine with few calls', () => {
    expect(after([late, late, late], 4)).not.toContain(true);
    expect(after([late], 5)).toEqual([true]);
    expect(after([late], 4, { isOverloaded: true, calm: 0 })).toEqual([false]);
  });

  it('pauses while speech-to-text is late, even with few calls', () => {
    const lags = { ...calm, sttLatenessMs: 1001 };
    const recovers = { ...calm, sttLatenessMs: 600 };
    expect(after([calm, lags, recovers, calm, calm])).toEqual([false, true, true, true, false]);
    expect(after([lags, recovers], 1)).toEqual([true, false]);
    expect(after([lags], 0)).toEqual([false]);
  });
});
