import { describe, expect, it } from '@jest/globals';
import { isFailing, pauseAfter, runningLimit } from './delivery-schedule.ts';

const failed = (triesLeft: number, extra = {}) => ({
  triesLeft,
  tries: 11,
  isPermanent: false,
  isGivenUp: false,
  ...extra,
});

describe('pauseAfter', () => {
  it('doubles the pause up to ten times', () => {
    const pauses = Array.from({ length: 11 }, (_, i) => pauseAfter(failed(11 - i), 30_000));
    const doubling = [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360].map((s) => s * 1000);
    expect(pauses).toEqual([...doubling, null]);
  });

  it('returns null when a retry would fail too, or the deadline has passed', () => {
    expect(pauseAfter(failed(11, { isPermanent: true }), 30_000)).toBeNull();
    expect(pauseAfter(failed(5, { isGivenUp: true }), 30_000)).toBeNull();
  });
});

describe('webhook endpoint', () => {
  it('receives up to four deliveries at a time, and one after five consecutive failures', () => {
    expect([0, 4, 5, 100].map((failures) => [isFailing(failures), runningLimit(failures)])).toEqual([
      [false, 4],
      [false, 4],
      [true, 1],
      [true, 1],
    ]);
  });
});
