import type { BillingStatus, EndReason } from '@calls/api-contract/rest/enums';

/** Calls are billed in steps of this length, rounded up. */
const BILLING_STEP_MS = 6000;

export interface EndedCall {
  endReason: EndReason;
  joinedAtMs: number | null;
  endedAtMs: number;
  fromConsole: boolean;
  /** Free time reserved for the call; null if none. */
  freeSecondsReserved: number | null;
}

export interface Bill {
  status: BillingStatus;
  billedDurationMs: number;
  /** Free time to add to the account's used time. */
  freeSeconds: number;
}

export interface BilledAccount {
  /** Free time of the account's plan; null if it has none. */
  freeMinutes: number | null;
  freeSecondsUsed: number;
}

/** Calls without effective duration are free. */
export const UNJOINED_BILL = free('BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION');

/** The cost of an ended call. The effective duration is from the join to the end. */
export function billCall(call: EndedCall, { freeMinutes, freeSecondsUsed }: BilledAccount): Bill {
  const effectiveMs = call.joinedAtMs === null ? 0 : Math.max(0, call.endedAtMs - call.joinedAtMs);
  if (effectiveMs === 0) return UNJOINED_BILL;
  if (call.endReason === 'system_error') return free('BILLING_STATUS_FREE_SYSTEM_ERROR');
  if (call.fromConsole) return free('BILLING_STATUS_FREE_CONSOLE');
  const billedDurationMs = billed(effectiveMs);
  if (freeMinutes === null) return { status: 'BILLING_STATUS_BILLED', billedDurationMs, freeSeconds: 0 };
  // A call that ends shortly after its deadline uses at most the reserved free time.
  const freeSeconds = Math.min(billedDurationMs / 1000, call.freeSecondsReserved ?? Infinity);
  const isFree = call.freeSecondsReserved !== null || freeSecondsUsed + freeSeconds <= freeMinutes * 60;
  return isFree
    ? { status: 'BILLING_STATUS_FREE_MINUTES', billedDurationMs, freeSeconds }
    : { status: 'BILLING_STATUS_BILLED', billedDurationMs, freeSeconds: 0 };
}

/**
 * The additional billed duration of the SIP part, in milliseconds: from dialling to the end, even if the call was not
 * answered. Zero if the call was started in the console or ended with a system error.
 */
export function billSip(call: Pick<EndedCall, 'endReason' | 'fromConsole'>, durationMs: number): number {
  if (call.endReason === 'system_error' || call.fromConsole) return 0;
  return billed(durationMs);
}

function billed(durationMs: number): number {
  return Math.ceil(durationMs / BILLING_STEP_MS) * BILLING_STEP_MS;
}

function free(status: BillingStatus): Bill {
  return { status, billedDurationMs: 0, freeSeconds: 0 };
}
