import { describe, expect, it } from '@jest/globals';
import { MAX_PER_ORIGIN, OriginSlots } from './origin-slots.ts';

const never = new AbortController().signal;

async function fill(slots: OriginSlots, origin: string): Promise<(() => void)[]> {
  return Promise.all(Array.from({ length: MAX_PER_ORIGIN }, () => slots.acquire(origin, never)));
}

describe('turns at an origin', () => {
  it('are passed on in order of arrival, and one origin holds up no other', async () => {
    const slots = new OriginSlots();
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

  it('are given up by those that leave', async () => {
    const slots = new OriginSlots();
    const releases = await fill(slots, 'a');
    const leaving = new AbortController();
    const left = slots.acquire('a', leaving.signal);
    const staying = slots.acquire('a', never);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(slots.acquire('a', leaving.signal)).rejects.toThrow('gone');
    releases[0]?.();
    await expect(staying).resolves.toBeInstanceOf(Function);
  });
});
