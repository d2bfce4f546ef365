import type { CallerReport } from './caller-report.ts';
import type { Delivery } from './callback-ledger.ts';
import { callbackFaults } from './checks/callbacks.ts';
import { eventFaults, type LoggedCall } from './checks/events.ts';
import { outcomeFaults } from './checks/outcomes.ts';
import type { Fault } from './faults.ts';
import type { KeptCall, KeptRows } from './kept-rows.ts';

/** All that is known when every call has ended. */
export interface Evidence {
  /** Of each call that was created, by its caller. */
  reports: readonly CallerReport[];
  rows: KeptRows;
  /** What the bus has of each call's log; null where it wasn't read. */
  logs: ReadonlyMap<string, LoggedCall> | null;
  deliveries: readonly Delivery[];
  faults: readonly Fault[];
  /** Answers of the API that no fault excuses. */
  apiFaults: readonly string[];
  /** Of the account, by the API. */
  usage: { totalCount: number; billedMinutes: number };
}

/** What is wrong, in words, by what it is about. Empty: nothing. */
export type Violations = Record<string, string[]>;

export type Blame = (about: string, what: string) => void;

/** Judges the run. Pure. */
export function judge(evidence: Evidence): Violations {
  const violations: Violations = {};
  const blame: Blame = (about, what) => {
    (violations[about] ??= []).push(what);
  };
  for (const fault of evidence.apiFaults) blame('API answers', fault);
  const reports = new Map(evidence.reports.map((report) => [report.callId, report]));
  for (const callId of reports.keys()) {
    if (!evidence.rows.calls.has(callId)) blame('lost calls', `${callId} was created and is not there`);
  }
  for (const call of evidence.rows.calls.values()) {
    outcomeFaults(call, reports.get(call.callId) ?? null, evidence.faults, blame);
    eventFaults(call, evidence.logs?.get(call.callId) ?? null, reports.get(call.callId) ?? null, blame);
  }
  callbackFaults(evidence.rows.calls, evidence.deliveries, blame);
  sumFaults(evidence, blame);
  return violations;
}

/** Usage, facts and calls must say the same. */
function sumFaults({ rows, usage }: Evidence, blame: Blame): void {
  const calls = [...rows.calls.values()];
  const billedMs = calls.reduce((sum, call) => sum + paidMs(call), 0);
  const differ = (what: string, found: number, expected: number): void => {
    if (Math.abs(found - expected) > 1e-6) blame('sums', `${what}: ${found}, by the calls ${expected}`);
  };
  differ('calls among the facts', rows.facts.calls, calls.length);
  differ('billed milliseconds among the facts', rows.facts.billedMs, billedMs);
  differ('calls by the usage of the API', usage.totalCount, calls.length);
  differ('billed minutes by the usage of the API', usage.billedMinutes, billedMs / 60_000);
  if (rows.outbox > 0) blame('outbox', `${rows.outbox} rows were never sent`);
}

function paidMs({ billingStatus, billedMs }: KeptCall): number {
  return billingStatus === 'BILLING_STATUS_BILLED' ? (billedMs ?? 0) : 0;
}
