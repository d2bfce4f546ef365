import { describe, expect, it } from '@jest/globals';
import { CounterDelta, ExpectedLoss } from './link-statistics.ts';

describe('CounterDelta', () => {
  it('returns the increase since the last call', () => {
    const growth = new CounterDelta();
    expect(growth.of({ packets: 100, lost: 4 })).toEqual({ packets: 100, lost: 4 });
    expect(growth.of({ packets: 150, lost: 4 })).toEqual({ packets: 50, lost: 0 });
  });

  it('counts nothing twice when a counter decreases', () => {
    const growth = new CounterDelta();
    const lost = [5, 3, 5, 7].map((count) => growth.of({ lost: count }).lost);
    expect(lost).toEqual([5, 0, 0, 2]);
  });
});

describe('ExpectedLoss', () => {
  it('rises immediately, falls by half per report, and is capped at 30 percent', () => {
    const loss = new ExpectedLoss();
    const after = (lost: number, packets = 100): number => loss.after({ packets, lost });
    expect([after(0), after(10), after(0), after(6), after(0), after(0), after(0)]).toEqual([
      0, 10, 5, 6, 3, 1, 0,
    ]);
    expect([after(100), after(0, 0), after(0, 0)]).toEqual([30, 15, 7]);
  });
});
