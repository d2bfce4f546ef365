import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { PlanLimits } from '@calls/redis/rate-limits/plan-limits';
import type { LiveUse } from '@calls/store/tables/live-use';
import { CallRefusal } from './refusal.ts';

/** When a call ends nobody knows; customers may ask again that soon. */
const RETRY_AFTER_MS = 5000;
/** Calls are billed in steps of this length. */
const BILLING_STEP_SECONDS = 6;

export interface AskedCall {
  admissionClass: AdmissionClass;
  maxDurationMs: number;
}

export interface AdmittedCall {
  /** As asked, or what is left of the free time if that is less. */
  maxDurationMs: number;
  /** Null where the plan has no free time. */
  freeSecondsReserved: number | null;
}

/** Whether such a call counts against anything that live calls are counted for. */
export function isCapped(limits: PlanLimits, admissionClass: AdmissionClass): boolean {
  return (
    limits.concurrentCalls !== null ||
    limits.freeMinutes !== null ||
    (limits.priorityCalls !== null && admissionClass === 'priority')
  );
}

/** What an account with this use may have of what is asked for; throws where that is nothing. */
export function admit(use: LiveUse, limits: PlanLimits, asked: AskedCall): AdmittedCall {
  const { concurrentCalls, priorityCalls, freeMinutes } = limits;
  if (concurrentCalls !== null && use.calls >= concurrentCalls) {
    throw concurrency(`The plan's ${concurrentCalls} concurrent calls are in use.`);
  }
  if (asked.admissionClass === 'priority' && priorityCalls !== null && use.priorityCalls >= priorityCalls) {
    throw concurrency(`The plan's ${priorityCalls} concurrent priority calls are in use.`);
  }
  const { maxDurationMs } = asked;
  if (freeMinutes === null) return { maxDurationMs, freeSecondsReserved: null };
  const leftSeconds = freeMinutes * 60 - use.freeSecondsUsed - use.freeSecondsReserved;
  const wantedSeconds = Math.ceil(maxDurationMs / 1000 / BILLING_STEP_SECONDS) * BILLING_STEP_SECONDS;
  if (wantedSeconds <= leftSeconds) return { maxDurationMs, freeSecondsReserved: wantedSeconds };
  const cutSeconds = Math.floor(leftSeconds / BILLING_STEP_SECONDS) * BILLING_STEP_SECONDS;
  if (cutSeconds > 0) return { maxDurationMs: cutSeconds * 1000, freeSecondsReserved: cutSeconds };
  throw new CallRefusal(
    'payment',
    'free_time_exhausted',
    `The free time of ${freeMinutes} min is used up: calls used ${use.freeSecondsUsed} s, and live calls hold ` +
      `${use.freeSecondsReserved} s. What they do not use is free again when they end.`,
  );
}

function concurrency(detail: string): CallRefusal {
  return new CallRefusal('limited', 'concurrency', detail, { retryAfterMs: RETRY_AFTER_MS });
}
