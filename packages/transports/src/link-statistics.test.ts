import { describe, expect, it } from '@jest/globals';
import { CounterDelta } from './link-statistics.ts';

describe('Growth', () => {
  it('is what was added since the last time', () => {
    const growth = new CounterDelta();
    expect(growth.of({ packets: 100, lost: 4 })).toEqual({ packets: 100, lost: 4 });
    expect(growth.of({ packets: 150, lost: 4 })).toEqual({ packets: 50, lost: 0 });
  });

  it('counts nothing twice where counts go back', () => {
    const growth = new CounterDelta();
    const lost = [5, 3, 5, 7].map((count) => growth.of({ lost: count }).lost);
    expect(lost).toEqual([5, 0, 0, 2]);
  });
});
