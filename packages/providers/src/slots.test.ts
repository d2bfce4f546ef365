import { describe, expect, it } from '@jest/globals';
import { QueueFullError } from '@calls/foundation/bounded-queue';
import { Slots } from './slots.ts';

const never = (): AbortSignal => new AbortController().signal;

describe('Slots', () => {
  it('grants slots in the order of the requests', async () => {
    const slots = new Slots(1, 2);
    const release = await slots.acquire(never());
    const order: number[] = [];
    const waiting = [1, 2].map(async (n) => {
      const free = await slots.acquire(never());
      order.push(n);
      free();
    });
    expect(order).toEqual([]);
    release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
  });

  it('rejects a request when too many requests wait', async () => {
    const slots = new Slots(1, 1);
    await slots.acquire(never());
    void slots.acquire(never());
    await expect(slots.acquire(never())).rejects.toBeInstanceOf(QueueFullError);
  });

  it('removes aborted requests from the queue, and ignores the second release of a slot', async () => {
    const slots = new Slots(1, 1);
    const release = await slots.acquire(never());
    const controller = new AbortController();
    const waiting = slots.acquire(controller.signal);
    const reason = new Error('gone');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    release();
    release();
    await slots.acquire(never());
    void slots.acquire(never());
    await expect(slots.acquire(never())).rejects.toBeInstanceOf(QueueFullError);
    await expect(slots.acquire(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
