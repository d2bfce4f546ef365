import { describe, expect, it } from '@jest/globals';
import { PLAN_LIMITS } from '@calls/rate-limits';
import type { LiveUse } from '@calls/store';
import { admit, isCapped, type AskedCall } from './caps.ts';
import { CallRefusal } from './refusal.ts';

const idle: LiveUse = { calls: 0, priorityCalls: 0, freeSecondsUsed: 0, freeSecondsReserved: 0 };
const { FREE, PAYGO, PRO, SCALE } = PLAN_LIMITS;

function asked(maxDurationMs: number, more: Partial<AskedCall> = {}): AskedCall {
  return { admissionClass: 'standard', maxDurationMs, mayBeCut: false, ...more };
}

function refusalOf(run: () => unknown): CallRefusal {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof CallRefusal) return thrown;
  }
  throw new Error('nothing was refused');
}

describe('caps', () => {
  it('are counted for where there are any', () => {
    expect([FREE, PAYGO, PRO, SCALE].map((limits) => isCapped(limits, 'standard'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isCapped(SCALE, 'lowest_cost')).toBe(false);
    expect(isCapped(SCALE, 'priority')).toBe(true);
  });

  it('let as many calls live as the plan has', () => {
    expect(admit({ ...idle, calls: 4 }, PAYGO, asked(1000))).toEqual({
      maxDurationMs: 1000,
      freeSecondsReserved: null,
    });
    const refusal = refusalOf(() => admit({ ...idle, calls: 5 }, PAYGO, asked(1000)));
    expect(refusal).toMatchObject({ kind: 'limited', code: 'concurrency', retryable: true });
  });

  it('count priority calls by themselves', () => {
    const use = { ...idle, calls: 5000, priorityCalls: 100 };
    expect(admit(use, SCALE, asked(1000)).maxDurationMs).toBe(1000);
    const more = asked(1000, { admissionClass: 'priority' });
    expect(refusalOf(() => admit(use, SCALE, more)).code).toBe('concurrency');
    expect(admit({ ...use, priorityCalls: 99 }, SCALE, more).maxDurationMs).toBe(1000);
  });
});

describe('free time', () => {
  it('is kept in steps of its billing', () => {
    expect(admit(idle, FREE, asked(60_001))).toEqual({ maxDurationMs: 60_001, freeSecondsReserved: 66 });
    expect(admit(idle, FREE, asked(1_800_000)).freeSecondsReserved).toBe(1800);
  });

  it.each([
    ['used', { freeSecondsUsed: 1740 }],
    ['kept for live calls', { freeSecondsReserved: 1740 }],
    ['used and kept', { freeSecondsUsed: 1000, freeSecondsReserved: 740 }],
  ])('is no longer there once it is %s', (_, use) => {
    expect(admit({ ...idle, ...use }, FREE, asked(60_000)).freeSecondsReserved).toBe(60);
    const refusal = refusalOf(() => admit({ ...idle, ...use }, FREE, asked(60_001)));
    expect(refusal).toMatchObject({ kind: 'payment', code: 'free_time_exhausted', retryable: false });
  });

  it('cuts a duration that nobody asked for', () => {
    const use = { ...idle, freeSecondsUsed: 1733 };
    const unasked = asked(3_600_000, { mayBeCut: true });
    expect(admit(use, FREE, unasked)).toEqual({ maxDurationMs: 66_000, freeSecondsReserved: 66 });
    expect(refusalOf(() => admit({ ...use, freeSecondsUsed: 1795 }, FREE, unasked)).code).toBe(
      'free_time_exhausted',
    );
  });

  it('is overdrawn without harm', () => {
    const use = { ...idle, freeSecondsUsed: 1900 };
    expect(refusalOf(() => admit(use, FREE, asked(1000, { mayBeCut: true }))).code).toBe(
      'free_time_exhausted',
    );
  });
});
