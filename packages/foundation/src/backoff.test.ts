import { describe, expect, it } from '@jest/globals';
import { reconnectDelayMs } from './backoff.ts';

describe('reconnectDelayMs', () => {
  it('doubles up to 30 s', () => {
    const longest = [1, 2, 3, 6, 7, 8, 5000].map((failures) => reconnectDelayMs(failures, 1));
    expect(longest).toEqual([500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is random between half the delay and the full delay', () => {
    expect([0, 0.5, 1].map((random) => reconnectDelayMs(3, random))).toEqual([1000, 1500, 2000]);
  });
});
