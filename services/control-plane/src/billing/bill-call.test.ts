import { describe, expect, it } from '@jest/globals';
import { PLAN_LIMITS } from '@calls/redis/rate-limits/plan-limits';
import { billCall, billSip, type BilledAccount, type EndedCall } from './bill-call.ts';

const START_MS = Date.UTC(2026, 0, 1);
const FREE_MINUTES = PLAN_LIMITS.FREE.freeMinutes!;
const paying: BilledAccount = { freeMinutes: PLAN_LIMITS.PAYGO.freeMinutes, freeSecondsUsed: 0 };
/** An account of the free plan that has one free minute left. */
const nearlyOut: BilledAccount = { freeMinutes: FREE_MINUTES, freeSecondsUsed: FREE_MINUTES * 60 - 60 };

function ended(durationMs: number, endReason: EndedCall['endReason'] = 'hangup'): EndedCall {
  return {
    endReason,
    joinedAtMs: START_MS,
    endedAtMs: START_MS + durationMs,
    fromConsole: false,
    freeSecondsReserved: null,
  };
}

describe('billCall', () => {
  it.each([
    [1, 6000],
    [5999, 6000],
    [6000, 6000],
    [6001, 12_000],
    [60_000, 60_000],
    [3_600_001, 3_606_000],
  ])('rounds %d ms up to %d ms', (durationMs, billedDurationMs) => {
    expect(billCall(ended(durationMs), paying)).toEqual({
      status: 'BILLING_STATUS_BILLED',
      billedDurationMs,
      freeSeconds: 0,
    });
  });

  it('charges nothing when the call was not joined, had no duration, or the clock was set back', () => {
    const status = 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION';
    const unjoined: EndedCall = { ...ended(0, 'unjoined'), joinedAtMs: null };
    expect(billCall(unjoined, paying)).toMatchObject({ status, billedDurationMs: 0 });
    expect(billCall({ ...unjoined, endReason: 'system_error' }, paying)).toMatchObject({ status });
    expect(billCall(ended(0), paying)).toMatchObject({ status });
    expect(billCall(ended(-500), paying)).toMatchObject({ status });
  });

  it('charges nothing after a system error', () => {
    expect(billCall(ended(90_000, 'system_error'), paying)).toEqual({
      status: 'BILLING_STATUS_FREE_SYSTEM_ERROR',
      billedDurationMs: 0,
      freeSeconds: 0,
    });
  });

  it('charges nothing for console calls, unless another reason for a free call applies', () => {
    const fromConsole = true;
    const statusOf = (call: EndedCall, account = paying) => billCall({ ...call, fromConsole }, account);
    const free = { status: 'BILLING_STATUS_FREE_CONSOLE', billedDurationMs: 0, freeSeconds: 0 };
    expect(statusOf(ended(90_000))).toEqual(free);
    expect(statusOf(ended(90_000), nearlyOut)).toEqual(free);
    expect(statusOf(ended(0)).status).toBe('BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION');
    expect(statusOf(ended(90_000, 'system_error')).status).toBe('BILLING_STATUS_FREE_SYSTEM_ERROR');
  });

  it('uses the free minutes of the plan until they are used up', () => {
    expect(billCall(ended(60_000), nearlyOut)).toEqual({
      status: 'BILLING_STATUS_FREE_MINUTES',
      billedDurationMs: 60_000,
      freeSeconds: 60,
    });
    expect(billCall(ended(60_001), nearlyOut)).toEqual({
      status: 'BILLING_STATUS_BILLED',
      billedDurationMs: 66_000,
      freeSeconds: 0,
    });
    expect(billCall(ended(60_000), paying).status).toBe('BILLING_STATUS_BILLED');
  });

  it('uses at most the free minutes that were reserved for the call', () => {
    const call = { ...ended(60_020), freeSecondsReserved: 60 };
    expect(billCall(call, nearlyOut)).toEqual({
      status: 'BILLING_STATUS_FREE_MINUTES',
      billedDurationMs: 66_000,
      freeSeconds: 60,
    });
    expect(billCall(call, paying).status).toBe('BILLING_STATUS_BILLED');
  });
});

describe('billSip', () => {
  it.each([
    [0, 0],
    [1, 6000],
    [6000, 6000],
    [6000.5, 12_000],
  ])('rounds %d ms up to %d ms, also for an unanswered call', (durationMs, billedMs) => {
    expect(billSip({ endReason: 'unjoined', fromConsole: false }, durationMs)).toBe(billedMs);
    expect(billSip({ endReason: 'hangup', fromConsole: false }, durationMs)).toBe(billedMs);
  });

  it('returns zero when the call is free because of a system error or a console start', () => {
    expect(billSip({ endReason: 'system_error', fromConsole: false }, 90_000)).toBe(0);
    expect(billSip({ endReason: 'hangup', fromConsole: true }, 90_000)).toBe(0);
  });
});
