import { describe, expect, it } from '@jest/globals';
import { PLAN_LIMITS } from '@calls/redis/rate-limits/plan-limits';
import type { LiveUse } from '@calls/store/tables/live-use';
import { admit, isCapped, type RequestedCall } from './caps.ts';
import { CallRefusal } from './refusal.ts';

const idle: LiveUse = { calls: 0, priorityCalls: 0, freeSecondsUsed: 0, freeSecondsReserved: 0 };
const { FREE, PAYGO, PRO, SCALE } = PLAN_LIMITS;

function asked(maxDurationMs: number, more: Partial<RequestedCall> = {}): RequestedCall {
  return { admissionClass: 'standard', maxDurationMs, ...more };
}

function refusalOf(run: () => unknown): CallRefusal {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof CallRefusal) return thrown;
  }
  throw new Error('nothing was refused');
}

describe('concurrency limits', () => {
  it('apply to all calls of some plans, and to priority calls of others', () => {
    expect([FREE, PAYGO, PRO, SCALE].map((limits) => isCapped(limits, 'standard'))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isCapped(SCALE, 'lowest_cost')).toBe(false);
    expect(isCapped(SCALE, 'priority')).toBe(true);
  });

  it('admit as many live calls as the plan allows', () => {
    expect(admit({ ...idle, calls: 4 }, PAYGO, asked(1000))).toEqual({
      maxDurationMs: 1000,
      freeSecondsReserved: null,
    });
    const refusal = refusalOf(() => admit({ ...idle, calls: 5 }, PAYGO, asked(1000)));
    expect(refusal).toMatchObject({ kind: 'limited', code: 'concurrency', retryable: true });
  });

  it('count priority calls separately', () => {
    const use = { ...idle, calls: 5000, priorityCalls: 100 };
    expect(admit(use, SCALE, asked(1000)).maxDurationMs).toBe(1000);
    const more = asked(1000, { admissionClass: 'priority' });
    expect(refusalOf(() => admit(use, SCALE, more)).code).toBe('concurrency');
    expect(admit({ ...use, priorityCalls: 99 }, SCALE, more).maxDurationMs).toBe(1000);
  });
});

describe('free call time', () => {
  it('is reserved in whole billing increments', () => {
    expect(admit(idle, FREE, asked(60_001))).toEqual({ maxDurationMs: 60_001, freeSecondsReserved: 66 });
    expect(admit(idle, FREE, asked(1_800_000)).freeSecondsReserved).toBe(1800);
  });

  it.each([
    ['used', { freeSecondsUsed: 1740 }],
    ['held by live calls', { freeSecondsReserved: 1740 }],
    ['used and held', { freeSecondsUsed: 1000, freeSecondsReserved: 740 }],
  ])('limits the maximum duration of a call to the free time left when most is %s', (_, use) => {
    expect(admit({ ...idle, ...use }, FREE, asked(60_000))).toEqual({
      maxDurationMs: 60_000,
      freeSecondsReserved: 60,
    });
    expect(admit({ ...idle, ...use }, FREE, asked(60_001))).toEqual({
      maxDurationMs: 60_000,
      freeSecondsReserved: 60,
    });
  });

  it('limits the maximum duration of a call to whole billing increments', () => {
    const use = { ...idle, freeSecondsUsed: 1733 };
    expect(admit(use, FREE, asked(3_600_000))).toEqual({ maxDurationMs: 66_000, freeSecondsReserved: 66 });
  });

  it.each([
    ['used up', { freeSecondsUsed: 1795 }, 'calls used 1795 s, and live calls hold 0 s'],
    [
      'held by live calls',
      { freeSecondsUsed: 1200, freeSecondsReserved: 600 },
      'used 1200 s, and live calls hold 600 s',
    ],
    ['overdrawn', { freeSecondsUsed: 1900 }, 'calls used 1900 s, and live calls hold 0 s'],
  ])('rejects a call when free time is %s, and reports how much live calls hold', (_, use, said) => {
    const refusal = refusalOf(() => admit({ ...idle, ...use }, FREE, asked(1000)));
    expect(refusal).toMatchObject({ kind: 'payment', code: 'free_time_exhausted', retryable: false });
    expect(refusal.message).toContain(said);
  });
});
