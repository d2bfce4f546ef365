import { setImmediate as settled } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Batches } from './batches.ts';

class FailingItem extends Error {}

function start(capacity = 10) {
  const runs: { items: readonly string[]; finish: () => void }[] = [];
  const batches = new Batches<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const finish = (): void => {
          if (items.includes('failing')) reject(new FailingItem('failing'));
          else if (items.includes('down')) reject(new Error('down'));
          else resolve(items.map((item) => item.toUpperCase()));
        };
        runs.push({ items, finish });
      }),
    concurrency: 1,
    maxItems: 3,
    capacity,
    isOfOne: (thrown) => thrown instanceof FailingItem,
  });
  const finishNext = async (): Promise<readonly string[]> => {
    const next = runs.shift();
    next?.finish();
    await settled();
    return next?.items ?? [];
  };
  return { batches, finishNext };
}

describe('Batches', () => {
  it('runs the first item immediately, and later ones together when it has finished', async () => {
    const { batches, finishNext } = start();
    const results = ['a', 'b', 'c', 'd', 'e'].map((item) => batches.add(item));
    expect(await finishNext()).toEqual(['a']);
    expect(await finishNext()).toEqual(['b', 'c', 'd']);
    expect(await finishNext()).toEqual(['e']);
    expect(await Promise.all(results)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('runs each item alone if one of them caused the failure, else rejects all, including waiting items', async () => {
    const { batches, finishNext } = start();
    const results = Promise.allSettled(
      ['a', 'b', 'failing', 'c', 'd', 'down', 'e', 'f'].map((item) => batches.add(item)),
    );
    const runs: (readonly string[])[] = [];
    for (let run = await finishNext(); run.length > 0; run = await finishNext()) runs.push(run);
    expect(runs).toEqual([['a'], ['b', 'failing', 'c'], ['b'], ['failing'], ['c'], ['d', 'down', 'e']]);
    const outcomes = (await results).map((each) => (each.status === 'fulfilled' ? each.value : 'failed'));
    expect(outcomes).toEqual(['A', 'B', 'failed', 'C', ...Array<string>(4).fill('failed')]);
  });

  it('rejects items beyond its capacity', async () => {
    const { batches, finishNext } = start(1);
    const taken = [batches.add('a'), batches.add('b')];
    await expect(batches.add('c')).rejects.toThrow('queue is full');
    await finishNext();
    await finishNext();
    expect(await Promise.all(taken)).toEqual(['A', 'B']);
  });
});
