import { describe, expect, it } from '@jest/globals';
import { ReadAllowance } from './read-allowance.ts';

describe('ReadAllowance', () => {
  it('lets 200 through at once and then 100 a second, however they come', () => {
    const allowance = new ReadAllowance(0);
    let nowMs = 0;
    let read = 0;
    while (nowMs < 10_000) {
      nowMs += allowance.take(nowMs);
      read += 1;
    }
    expect(read).toBeGreaterThan(1150);
    expect(read).toBeLessThan(1250);
  });

  it('asks no pause of those who send less', () => {
    const allowance = new ReadAllowance(0);
    for (let nowMs = 0; nowMs < 60_000; nowMs += 10) expect(allowance.take(nowMs)).toBe(0);
  });

  it('gives no credit for a long silence beyond the burst', () => {
    const allowance = new ReadAllowance(0);
    const nowMs = 3_600_000;
    const pauses = Array.from({ length: 201 }, () => allowance.take(nowMs));
    expect(pauses.slice(0, 199)).toEqual(Array.from({ length: 199 }, () => 0));
    expect(pauses.slice(199)).toEqual([10, 20]);
  });
});
