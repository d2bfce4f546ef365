import type { CallerReport } from './caller-report.ts';
import type { Delivery } from './callback-ledger.ts';
import { checkCallbacks } from './checks/callbacks.ts';
import { checkEvents, type LoggedCall } from './checks/events.ts';
import { checkSums } from './checks/sums.ts';
import { checkOutcome } from './checks/outcomes.ts';
import type { Fault } from './faults.ts';
import type { StoredRows } from './stored-rows.ts';

/** Everything recorded until the last call has ended. */
export interface Evidence {
  /** One report for each created call. */
  reports: readonly CallerReport[];
  rows: StoredRows;
  /** Call logs on the bus; null if they were not read. */
  logs: ReadonlyMap<string, LoggedCall> | null;
  deliveries: readonly Delivery[];
  faults: readonly Fault[];
  /** API responses that no injected fault explains. */
  apiErrors: readonly string[];
  /** Usage of all accounts that the API returns. */
  usage: { totalCount: number; billedMinutes: number };
}

/** Descriptions of violations by subject. Empty if there are none. */
export type Violations = Record<string, string[]>;

export type AddViolation = (about: string, what: string) => void;

/** Checks the run. Has no side effects. */
export function judge(evidence: Evidence): Violations {
  const violations: Violations = {};
  const addViolation: AddViolation = (about, what) => {
    (violations[about] ??= []).push(what);
  };
  for (const error of evidence.apiErrors) addViolation('API responses', error);
  const reports = new Map(evidence.reports.map((report) => [report.callId, report]));
  for (const callId of reports.keys()) {
    if (!evidence.rows.calls.has(callId)) addViolation('lost calls', `${callId} was created but has no row`);
  }
  for (const call of evidence.rows.calls.values()) {
    checkOutcome(call, reports.get(call.callId) ?? null, evidence.faults, addViolation);
    checkEvents(
      call,
      evidence.logs?.get(call.callId) ?? null,
      reports.get(call.callId) ?? null,
      addViolation,
    );
  }
  checkCallbacks(evidence.rows.calls, evidence.deliveries, addViolation);
  checkSums(evidence, addViolation);
  if (evidence.rows.outbox > 0) addViolation('outbox', `${evidence.rows.outbox} outbox rows were never sent`);
  return violations;
}
