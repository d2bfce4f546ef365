import { describe, expect, it } from '@jest/globals';
import { BoundedQueue, QueueFullError } from './bounded-queue.ts';

describe('BoundedQueue', () => {
  it('returns items in order, and ends after `close` when it is drained', async () => {
    const queue = new BoundedQueue<number>(10, 'reject');
    for (const n of [1, 2, 3]) queue.push(n);
    queue.close();
    expect(queue.push(4)).toBe(false);
    const seen: number[] = [];
    for await (const n of queue) seen.push(n);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('resolves a waiting `next` when an item is added or the queue is closed', async () => {
    const queue = new BoundedQueue<string>(1, 'reject');
    expect(queue.isIdle).toBe(false);
    const waiting = queue.next();
    expect(queue.isIdle).toBe(true);
    queue.push('x');
    expect(queue.isIdle).toBe(false);
    await expect(waiting).resolves.toEqual({ value: 'x', done: false });
    const end = queue.next();
    queue.close();
    await expect(end).resolves.toEqual({ value: undefined, done: true });
  });

  it('drops the oldest item, drops the newest item or throws, depending on its policy', async () => {
    const oldest = new BoundedQueue<number>(2, 'drop-oldest');
    const newest = new BoundedQueue<number>(2, 'drop-newest');
    const reject = new BoundedQueue<number>(2, 'reject');
    for (const n of [1, 2, 3]) {
      oldest.push(n);
      newest.push(n);
      if (n < 3) reject.push(n);
    }
    expect(() => reject.push(3)).toThrow(QueueFullError);
    expect([oldest.dropped, newest.dropped]).toEqual([1, 1]);
    expect((await oldest.next()).value).toBe(2);
    expect((await newest.next()).value).toBe(1);
  });

  it('preserves the order over more items than it compacts at', async () => {
    const queue = new BoundedQueue<number>(1000, 'reject');
    let expected = 0;
    for (let n = 0; n < 5000; n += 1) {
      queue.push(n);
      if (n % 3 === 2) {
        expect((await queue.next()).value).toBe(expected);
        expected += 1;
        expect((await queue.next()).value).toBe(expected);
        expected += 1;
        expect((await queue.next()).value).toBe(expected);
        expected += 1;
      }
    }
    expect(queue.size).toBe(5000 - expected);
  });
});
