import { describe, expect, it } from '@jest/globals';
import { BoundedCache } from './bounded-cache.ts';

describe('BoundedCache', () => {
  it('recomputes a value when the computation of another caller failed', async () => {
    const cache = new BoundedCache<string>(4);
    let attempts = 0;
    const compute = (): Promise<string> => {
      attempts += 1;
      return attempts === 1 ? Promise.reject(new Error('aborted')) : Promise.resolve('result');
    };
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => cache.getOrCompute('a', compute, () => 1)));
    expect(outcomes).toMatchObject([{ status: 'rejected' }, { value: 'result' }, { value: 'result' }]);
    expect(attempts).toBe(2);
  });

  it('evicts the least recently used entries', () => {
    const cache = new BoundedCache<string>(4);
    cache.set('a', 'first', 2);
    cache.set('b', 'second', 2);
    expect(cache.get('a')).toBe('first');
    cache.set('c', 'third', 2);
    expect(cache.entries()).toEqual([
      ['a', 'first'],
      ['c', 'third'],
    ]);
    cache.set('d', 'too large', 5);
    cache.set('a', 'grown', 4);
    expect(cache.entries()).toEqual([['a', 'grown']]);
  });
});
