import { describe, expect, it } from '@jest/globals';
import { isFailing, pauseAfter, runningLimit } from './delivery-schedule.ts';

const failed = (triesLeft: number, extra = {}) => ({
  triesLeft,
  tries: 11,
  isPermanent: false,
  isGivenUp: false,
  ...extra,
});

describe('the pause after a failed try', () => {
  it('doubles from the first on, ten times', () => {
    const pauses = Array.from({ length: 11 }, (_, i) => pauseAfter(failed(11 - i), 30_000));
    const doubling = [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360].map((s) => s * 1000);
    expect(pauses).toEqual([...doubling, null]);
  });

  it('is none where another try would fail too, or its time is over', () => {
    expect(pauseAfter(failed(11, { isPermanent: true }), 30_000)).toBeNull();
    expect(pauseAfter(failed(5, { isGivenUp: true }), 30_000)).toBeNull();
  });
});

describe('a receiver', () => {
  it('is told four things at a time, and one once it has failed five times in a row', () => {
    expect([0, 4, 5, 100].map((failures) => [isFailing(failures), runningLimit(failures)])).toEqual([
      [false, 4],
      [false, 4],
      [true, 1],
      [true, 1],
    ]);
  });
});
