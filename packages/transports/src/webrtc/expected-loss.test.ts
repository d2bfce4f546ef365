import { describe, expect, it } from '@jest/globals';
import { ExpectedLoss } from './expected-loss.ts';

describe('ExpectedLoss', () => {
  it('grows at once, fades by half a report, and is bounded', () => {
    const loss = new ExpectedLoss();
    const after = (lost: number, packets = 100): number => loss.after({ packets, lost });
    expect([after(0), after(10), after(0), after(6), after(0), after(0), after(0)]).toEqual([
      0, 10, 5, 6, 3, 1, 0,
    ]);
    expect([after(100), after(0, 0), after(0, 0)]).toEqual([30, 15, 7]);
  });
});
