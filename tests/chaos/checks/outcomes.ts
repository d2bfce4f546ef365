import type { CallerEnd, CallerReport } from '../caller-report.ts';
import type { Intention } from '../call-plan.ts';
import type { Fault } from '../faults.ts';
import type { StoredCall } from '../stored-rows.ts';
import type { AddViolation } from '../verdict.ts';

/** End reasons that a fault may cause, regardless of the caller's intention. */
const BY_FAULT = ['system_error', 'connection_error'];
const BILLING_STEP_MS = 6000;
/** Time from the loss of a worker to the end of its calls, including an outage of the bus. */
const FAULT_REACH_MS = 45_000;
const LAST_WORD_MS = 1500;

/**
 * Checks that the call has one end that matches the caller's view, and one bill that matches the end. `report` is null
 * for calls without a caller.
 */
export function checkOutcome(
  call: StoredCall,
  report: CallerReport | null,
  faults: readonly Fault[],
  addViolation: AddViolation,
): void {
  const { callId, endReason } = call;
  if (endReason === null || call.endedMs === null) {
    addViolation('calls without end', `${callId}, ${report ? describe(report) : 'unknown to callers'}`);
    return;
  }
  checkBilling(call, addViolation);
  if (!report) {
    // The create request had no response, so no caller knows the call.
    if (endReason !== 'unjoined')
      addViolation('end reasons', `${callId}, unknown to callers, ended ${endReason}`);
    return;
  }
  if (report.end.kind === 'endless') addViolation('late ends', `${callId} went on, ${describe(report)}`);
  const isExpected = expectedReasons(report).includes(endReason);
  const isExcused =
    BY_FAULT.includes(endReason) &&
    (report.end.kind === 'ended_by_server'
      ? wasFaultAt(report.endedMs, faults)
      : wasFaultBefore(report.endedMs, faults));
  if (!isExpected && !isExcused)
    addViolation('end reasons', `${callId} ended ${endReason}, ${describe(report)}`);
}

const PLANNED: Readonly<Record<Intention, string>> = {
  hang_up: 'hangup',
  agent_hang_up: 'agent_hangup',
  time_limit: 'timeout',
  vanish: 'connection_error',
  never_join: 'unjoined',
};

/** End reasons that are possible for this caller. */
function expectedReasons({ end, plan, hangUpRequested }: CallerReport): readonly string[] {
  switch (end.kind) {
    case 'ended_by_server':
      return [end.reason];
    case 'hung_up':
      return ['hangup'];
    case 'vanished':
      return ['connection_error'];
    case 'never_joined':
      return ['unjoined'];
    // While the caller was disconnected, its planned end may still have happened.
    case 'over':
    case 'given_up':
      return plan.intention === 'time_limit' || hangUpRequested
        ? [PLANNED[plan.intention], ...BY_FAULT]
        : BY_FAULT;
    case 'not_let_in':
      return ['unjoined', 'system_error'];
    case 'endless':
      return BY_FAULT;
  }
}

/** A caller may receive the end shortly before it is stored, if its worker or the bus fails in between. */
function wasFaultAt(ms: number, faults: readonly Fault[]): boolean {
  return faults.some(({ atMs }) => Math.abs(ms - atMs) < LAST_WORD_MS);
}

function wasFaultBefore(ms: number, faults: readonly Fault[]): boolean {
  // A caller that hangs up ends before the fault that loses its close frame.
  return faults.some(
    ({ atMs, backAfterMs }) => atMs < ms + 20_000 && ms < atMs + backAfterMs + FAULT_REACH_MS,
  );
}

function checkBilling(call: StoredCall, addViolation: AddViolation): void {
  const { callId, billingStatus, billedMs } = call;
  const expected = expectedBill(call);
  if (billingStatus === expected.status && billedMs === expected.billedMs) return;
  addViolation(
    'bills',
    `${callId}, ended ${call.endReason}, has ${billingStatus} and ${billedMs} ms, not ${expected.status} and ${expected.billedMs} ms`,
  );
}

/** The bill that the call should have. Assumes that the account has enough free minutes. */
function expectedBill({ joinedMs, endedMs, endReason, freeSecondsReserved }: StoredCall): {
  status: string;
  billedMs: number;
} {
  const durationMs = joinedMs === null || endedMs === null ? 0 : Math.max(0, endedMs - joinedMs);
  if (durationMs === 0) return { status: 'BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION', billedMs: 0 };
  if (endReason === 'system_error') return { status: 'BILLING_STATUS_FREE_SYSTEM_ERROR', billedMs: 0 };
  return {
    status: freeSecondsReserved === null ? 'BILLING_STATUS_BILLED' : 'BILLING_STATUS_FREE_MINUTES',
    billedMs: Math.ceil(durationMs / BILLING_STEP_MS) * BILLING_STEP_MS,
  };
}

function describe({ plan, end, breaks }: CallerReport): string {
  return `planned ${plan.intention}; its caller: ${endText(end)}, ${breaks.length} breaks`;
}

function endText(end: CallerEnd): string {
  if (end.kind === 'ended_by_server') return `was ended by the server: ${end.reason}`;
  return end.kind === 'not_let_in' ? `was refused (${end.code})` : end.kind.replace('_', ' ');
}
