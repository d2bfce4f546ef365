import { describe, expect, it } from '@jest/globals';
import { KeyedSlots } from './keyed-slots.ts';

const never = new AbortController().signal;
const newSlots = (): KeyedSlots => new KeyedSlots({ perKey: 3, waitingPerKey: 4 });

async function fill(slots: KeyedSlots, origin: string): Promise<(() => void)[]> {
  return Promise.all(Array.from({ length: 3 }, () => slots.acquire(origin, never)));
}

describe('KeyedSlots', () => {
  it('grants the slots of a key in order of arrival, without blocking other keys', async () => {
    const slots = newSlots();
    const releases = await fill(slots, 'a');
    const order: number[] = [];
    const waiting = [1, 2].map(async (name) => {
      const release = await slots.acquire('a', never);
      order.push(name);
      return release;
    });
    await slots.acquire('b', never);
    expect(order).toEqual([]);
    releases[0]?.();
    await waiting[0];
    expect(order).toEqual([1]);
    (await waiting[0])?.();
    await waiting[1];
    expect(order).toEqual([1, 2]);
  });

  it('removes aborted requests from the queue', async () => {
    const slots = newSlots();
    const releases = await fill(slots, 'a');
    const leaving = new AbortController();
    const left = slots.acquire('a', leaving.signal);
    const staying = slots.acquire('a', never);
    leaving.abort(new Error('aborted'));
    await expect(left).rejects.toThrow('aborted');
    await expect(slots.acquire('a', leaving.signal)).rejects.toThrow('aborted');
    releases[0]?.();
    await expect(staying).resolves.toBeInstanceOf(Function);
  });

  it('rejects a request when too many requests wait for its key', async () => {
    const slots = newSlots();
    const [release] = await fill(slots, 'a');
    const waiting = Array.from({ length: 4 }, () => slots.acquire('a', never));
    await expect(slots.acquire('a', never)).rejects.toMatchObject({
      code: 'outbound_failed',
      retryable: true,
    });
    release?.();
    await expect(waiting[0]).resolves.toBeInstanceOf(Function);
    await expect(slots.acquire('b', never)).resolves.toBeInstanceOf(Function);
  });
});
