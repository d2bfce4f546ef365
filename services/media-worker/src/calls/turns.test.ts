import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.ts';

describe('turns', () => {
  it('run one after another within a key, a failed one too, and side by side otherwise', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const gate = Promise.withResolvers<undefined>();
    const first = turns.take('a', async () => {
      await gate.promise;
      order.push('first');
      throw new Error('failed');
    });
    const second = turns.take('a', () => Promise.resolve(order.push('second')));
    await turns.take('b', () => Promise.resolve(order.push('other')));
    expect(order).toEqual(['other']);
    gate.resolve(undefined);
    await expect(first).rejects.toThrow('failed');
    await second;
    expect(order).toEqual(['other', 'first', 'second']);
  });
});
