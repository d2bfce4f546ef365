import { describe, expect, it } from '@jest/globals';
import { ADMISSION_CLASSES } from '@calls/api-contract/bus/created-call';
import { Slots } from './slots.ts';

describe('Slots', () => {
  it('reserves the top 10 % for priority calls, and admits lowest_cost calls below 60 % only', () => {
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

  it.each([
    [1, 1, 1],
    [2, 1, 1],
    [5, 4, 3],
    [20, 18, 12],
    [100, 90, 60],
  ])(
    'with capacity %i admits %i standard calls, %i lowest_cost calls, and priority calls up to the capacity',
    (capacity, standard, low) => {
      const taken = ADMISSION_CLASSES.map((admissionClass) => {
        const slots = new Slots(capacity);
        while (slots.tryReserve(admissionClass));
        return slots.used;
      });
      expect(taken).toEqual([capacity, standard, low]);
    },
  );

  it('admits fewer calls while part of the capacity is unusable, and retains the calls in progress', () => {
    const slots = new Slots(10);
    let signals = 0;
    slots.onRoom(() => (signals += 1));
    for (let i = 0; i < 8; i += 1) slots.tryReserve('standard');
    slots.usable = 5;
    expect([slots.tryReserve('priority'), slots.used, slots.capacity, signals]).toEqual([false, 8, 10, 0]);
    expect(slots.tryReserveJoined()).toBe(true);
    slots.usable = 10;
    expect([slots.tryReserve('priority'), slots.tryReserve('priority'), signals]).toEqual([true, false, 1]);
  });

  it('admits joined calls of other workers up to twice the capacity, and no other calls in the meantime', () => {
    const slots = new Slots(2);
    while (slots.tryReserveJoined());
    expect(slots.used).toBe(4);
    slots.release();
    slots.release();
    expect(slots.tryReserve('priority')).toBe(false);
    expect(slots.tryReserveJoined()).toBe(true);
  });

  it('uses configured thresholds without rounding errors', () => {
    const slots = new Slots(100, { standardPercent: 58, lowestCostPercent: 29 });
    while (slots.tryReserve('lowest_cost'));
    expect(slots.used).toBe(29);
    while (slots.tryReserve('standard'));
    expect(slots.used).toBe(58);
  });

  it('signals room when a slot is released, and when a pause ends', () => {
    const slots = new Slots(2);
    let notified = 0;
    const watch = slots.onRoom(() => (notified += 1));
    slots.isPaused = true;
    expect([slots.tryReserve('standard'), slots.tryReserve('lowest_cost')]).toEqual([false, false]);
    expect(slots.tryReserve('priority')).toBe(true);
    expect(notified).toBe(0);
    slots.isPaused = false;
    expect(notified).toBe(1);
    slots.release();
    expect(notified).toBe(2);
    watch[Symbol.dispose]();
    slots.isPaused = false;
    expect(notified).toBe(2);
  });

  it('throws when it releases a slot that is not in use', () => {
    expect(() => new Slots(1).release()).toThrow('not in use');
  });
});
