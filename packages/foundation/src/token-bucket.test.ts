import { describe, expect, it } from '@jest/globals';
import { TokenBucket } from './token-bucket.ts';

const LIMITS = { burst: 200, perSecond: 100 };

describe('TokenBucket', () => {
  it('allows a burst, then the configured rate', () => {
    const allowance = new TokenBucket({ burst: 50, perSecond: 1 }, 0);
    const takenAt = (nowMs: number): number =>
      Array.from({ length: 100 }, () => allowance.take(nowMs)).filter(Boolean).length;
    expect(takenAt(0)).toBe(50);
    expect(takenAt(900)).toBe(0);
    expect(takenAt(3000)).toBe(3);
    expect(takenAt(1_000_000)).toBe(50);
  });

  it('takes the whole amount or nothing', () => {
    const allowance = new TokenBucket(LIMITS, 0);
    expect([150, 60, 50, 1].map((amount) => allowance.take(0, amount))).toEqual([true, false, true, false]);
  });

  it('delays callers that exceed the rate', () => {
    const allowance = new TokenBucket(LIMITS, 0);
    let nowMs = 0;
    let spent = 0;
    while (nowMs < 10_000) {
      nowMs += allowance.spend(nowMs);
      spent += 1;
    }
    expect(spent).toBeGreaterThan(1150);
    expect(spent).toBeLessThan(1250);
  });

  it('does not delay callers below the rate', () => {
    const allowance = new TokenBucket(LIMITS, 0);
    for (let nowMs = 0; nowMs < 60_000; nowMs += 10) expect(allowance.spend(nowMs)).toBe(0);
  });

  it('accumulates no more than the burst while idle', () => {
    const allowance = new TokenBucket(LIMITS, 0);
    const nowMs = 3_600_000;
    const pauses = Array.from({ length: 201 }, () => allowance.spend(nowMs));
    expect(pauses.slice(0, 199)).toEqual(Array.from({ length: 199 }, () => 0));
    expect(pauses.slice(199)).toEqual([10, 20]);
  });

  it('recovers an overdraft before it allows more', () => {
    const allowance = new TokenBucket(LIMITS, 0);
    expect(allowance.spend(0, 700)).toBe(5010);
    expect(allowance.take(5000)).toBe(false);
    expect(allowance.take(5010)).toBe(true);
  });
});
