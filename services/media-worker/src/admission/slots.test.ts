import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.ts';

describe('Slots', () => {
  it('leaves the top tenth to priority and takes lowest_cost below 60 %', () => {
    const slots = new Slots(10);
    for (let i = 0; i < 6; i += 1) expect(slots.tryReserve('lowest_cost')).toBe(true);
    expect(slots.tryReserve('lowest_cost')).toBe(false);
    for (let i = 0; i < 3; i += 1) expect(slots.tryReserve('standard')).toBe(true);
    expect(slots.tryReserve('standard')).toBe(false);
    expect(slots.tryReserve('priority')).toBe(true);
    expect(slots.tryReserve('priority')).toBe(false);
    slots.release();
    expect(slots.tryReserve('standard')).toBe(false);
    expect(slots.tryReserve('priority')).toBe(true);
  });

  it('wakes whoever waits for a slot, and on abort', async () => {
    const slots = new Slots(1);
    slots.tryReserve('standard');
    const released = slots.released(new AbortController().signal);
    slots.release();
    await released;
    const abort = new AbortController();
    const aborted = slots.released(abort.signal);
    abort.abort();
    await aborted;
  });

  it('refuses to release what nobody holds', () => {
    expect(() => new Slots(1).release()).toThrow('nobody held');
  });
});
