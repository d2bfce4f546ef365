import { describe, expect, it } from '@jest/globals';
import { RequestAllowance } from './request-allowance.ts';

describe('RequestAllowance', () => {
  it('lets a burst through, then one a second', () => {
    const allowance = new RequestAllowance(0);
    const takenAt = (nowMs: number): number =>
      Array.from({ length: 100 }, () => allowance.take(nowMs)).filter(Boolean).length;
    expect(takenAt(0)).toBe(50);
    expect(takenAt(900)).toBe(0);
    expect(takenAt(3000)).toBe(3);
    expect(takenAt(1_000_000)).toBe(50);
  });
});
