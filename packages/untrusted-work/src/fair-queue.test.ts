import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.ts';

interface Item {
  name: string;
  bytes: number;
}

const LIMITS = { items: { total: 4, perOwner: 3 }, bytes: { total: 100, perOwner: 60 } };
const item = (name: string, bytes = 0): Item => ({ name, bytes });

/** The names of the items that did not fit. */
function pushAll(queue: FairQueue<Item>, owner: string, ...items: Item[]): string[] {
  return items.flatMap((each) => queue.push(owner, each)).map(({ name }) => name);
}

function takeAll(queue: FairQueue<Item>): string[] {
  const names: string[] = [];
  for (let next = queue.take(() => true); next; next = queue.take(() => true)) names.push(next.item.name);
  return names;
}

describe('FairQueue', () => {
  it('takes items from each owner in turn', () => {
    const queue = new FairQueue<Item>(LIMITS);
    pushAll(queue, 'a', item('a1'), item('a2'));
    pushAll(queue, 'b', item('b1'), item('b2'));
    expect(queue.take((owner) => owner === 'b')?.item.name).toBe('b1');
    expect(takeAll(queue)).toEqual(['a1', 'b2', 'a2']);
  });

  it('limits items and bytes for each owner', () => {
    const queue = new FairQueue<Item>(LIMITS);
    expect(pushAll(queue, 'a', item('a1'), item('a2'), item('a3'), item('a4'))).toEqual(['a4']);
    expect(pushAll(queue, 'b', item('b1', 61))).toEqual(['b1']);
    expect(takeAll(queue)).toEqual(['a1', 'a2', 'a3']);
  });

  it('evicts the newest item of the owner with the most items when it is full', () => {
    const queue = new FairQueue<Item>(LIMITS);
    pushAll(queue, 'a', item('a1'), item('a2'), item('a3'));
    pushAll(queue, 'b', item('b1'));
    expect(pushAll(queue, 'c', item('c1'))).toEqual(['a3']);
    expect(pushAll(queue, 'a', item('a4'))).toEqual(['a4']);
    expect(pushAll(queue, 'b', item('b2'))).toEqual(['b2']);
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('evicts the newest item of the owner with the most bytes when it is full', () => {
    const queue = new FairQueue<Item>(LIMITS);
    pushAll(queue, 'a', item('a1', 30), item('a2', 30));
    pushAll(queue, 'b', item('b1', 40));
    expect(pushAll(queue, 'c', item('c1', 20))).toEqual(['a2']);
    expect(pushAll(queue, 'c', item('c2', 40))).toEqual(['c2']);
  });

  it('has room again after items are removed or taken', () => {
    const queue = new FairQueue<Item>(LIMITS);
    const first = item('a1', 60);
    pushAll(queue, 'a', first);
    expect(queue.remove('a', first)).toBe(true);
    expect(queue.remove('a', first)).toBe(false);
    expect(pushAll(queue, 'a', item('a2', 60))).toEqual([]);
    expect(takeAll(queue)).toEqual(['a2']);
    expect(pushAll(queue, 'a', item('a3', 60))).toEqual([]);
    expect(queue.drain().map(({ name }) => name)).toEqual(['a3']);
  });
});
