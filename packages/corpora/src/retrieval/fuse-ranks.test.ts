import { describe, expect, it } from '@jest/globals';
import { fuseRanks } from './fuse-ranks.ts';

const fuse = (...lists: string[]): string =>
  fuseRanks(
    lists.map((list) => list.split('')),
    (item) => item,
  )
    .map(({ item }) => item)
    .join('');

describe('fuseRanks', () => {
  it('ranks items of several lists above items of one list', () => {
    expect(fuse('abc', 'dce')).toBe('cadbe');
  });

  it('retains the order of a single list', () => {
    expect(fuse('zyx', '')).toBe('zyx');
    expect(fuse()).toBe('');
  });

  it('scores 1 for an item that is first in all lists, and less for any other', () => {
    const [first, second] = fuseRanks([['a', 'b'], ['a']], (item) => item);
    expect(first).toEqual({ item: 'a', score: 1 });
    expect(second!.score).toBeCloseTo(0.5 * (61 / 62));
  });
});
