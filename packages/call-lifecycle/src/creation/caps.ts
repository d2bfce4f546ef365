import type { AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { LiveUse } from '@calls/store/tables/live-use';
import { CallRefusal } from './refusal.ts';

/** Suggested delay before a retry: it is not known when a live call will end. */
const RETRY_AFTER_MS = 5000;
/** Billing increment. */
const BILLING_STEP_SECONDS = 6;

export interface RequestedCall {
  admissionClass: AdmissionClass;
  maxDurationMs: number;
}

export interface AdmittedCall {
  /** As requested, or the rest of the free time if that is less. */
  maxDurationMs: number;
  /** Null if the plan has no free time. */
  freeSecondsReserved: number | null;
}

/** Whether a cap of the plan applies to calls of this class. */
export function isCapped(limits: PlanLimits, admissionClass: AdmissionClass): boolean {
  return (
    limits.concurrentCalls !== null ||
    limits.freeMinutes !== null ||
    (limits.priorityCalls !== null && admissionClass === 'priority')
  );
}

/** Applies the caps to a call; throws if a cap is reached. */
export function admit(use: LiveUse, limits: PlanLimits, requested: RequestedCall): AdmittedCall {
  const { concurrentCalls, priorityCalls, freeMinutes } = limits;
  if (concurrentCalls !== null && use.calls >= concurrentCalls) {
    throw concurrency(`The plan's ${concurrentCalls} concurrent calls are in use.`);
  }
  if (
    requested.admissionClass === 'priority' &&
    priorityCalls !== null &&
    use.priorityCalls >= priorityCalls
  ) {
    throw concurrency(`The plan's ${priorityCalls} concurrent priority calls are in use.`);
  }
  const { maxDurationMs } = requested;
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
      `${use.freeSecondsReserved} s. Unused time is released when they end.`,
  );
}

function concurrency(detail: string): CallRefusal {
  return new CallRefusal('limited', 'concurrency', detail, { retryAfterMs: RETRY_AFTER_MS });
}
