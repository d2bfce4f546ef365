import { describe, expect, it } from '@jest/globals';
import { KeyedMutex } from './keyed-mutex.ts';

describe('KeyedMutex', () => {
  it('runs tasks with one key in order, even after a failure, and different keys in parallel', async () => {
    const taking = new KeyedMutex();
    const order: string[] = [];
    const gate = Promise.withResolvers<undefined>();
    const first = taking.run('a', async () => {
      await gate.promise;
      order.push('first');
      throw new Error('failed');
    });
    const second = taking.run('a', () => Promise.resolve(order.push('second')));
    await taking.run('b', () => Promise.resolve(order.push('other')));
    expect(order).toEqual(['other']);
    gate.resolve(undefined);
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(order).toEqual(['other', 'first', 'second']);
  });
});
