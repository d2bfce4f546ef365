import { describe, expect, it } from '@jest/globals';
import { axisTicks, labelEvery } from './chart-scale.ts';

describe('chart scale', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [40, [0, 10, 20, 30, 40]],
    [1234, [0, 500, 1000, 1500]],
  ])('has ticks for up to %d calls: %j', (largest, ticks) => {
    expect(axisTicks(largest, true)).toEqual(ticks);
  });

  it.each([
    [0, [0, 0.1]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [1.7, [0, 0.5, 1, 1.5, 2]],
  ])('has ticks for up to %d minutes: %j', (largest, ticks) => {
    expect(axisTicks(largest, false)).toEqual(ticks);
  });

  it('skips labels that have no room', () => {
    expect(labelEvery(7, 700, 60)).toBe(1);
    expect(labelEvery(90, 600, 60)).toBe(9);
    expect(labelEvery(5, 0, 60)).toBe(5);
  });
});
