import { describe, expect, it } from '@jest/globals';
import { MediaTimeout } from './media-timeout.ts';

describe('MediaTimeout', () => {
  it('measures the time since media was received', () => {
    const timeout = new MediaTimeout(0);
    expect(timeout.check(100)).toBe(100);
    timeout.received(150);
    timeout.received(120);
    expect(timeout.check(200)).toBe(50);
  });

  it('does not count time in which the process was paused', () => {
    const timeout = new MediaTimeout(0);
    expect(timeout.check(100)).toBe(100);
    expect(timeout.check(45_100)).toBe(1100);
    expect(timeout.check(45_200)).toBe(1200);
    timeout.received(45_250);
    expect(timeout.check(45_300)).toBe(50);
  });
});
