import { describe, expect, it } from '@jest/globals';
import { Growth } from './link-statistics.ts';

describe('Growth', () => {
  it('is what was added since the last time', () => {
    const growth = new Growth();
    expect(growth.of({ packets: 100, lost: 4 })).toEqual({ packets: 100, lost: 4 });
    expect(growth.of({ packets: 150, lost: 4 })).toEqual({ packets: 50, lost: 0 });
  });

  it('counts nothing twice where counts go back', () => {
    const growth = new Growth();
    const lost = [5, 3, 5, 7].map((count) => growth.of({ lost: count }).lost);
    expect(lost).toEqual([5, 0, 0, 2]);
  });
});
