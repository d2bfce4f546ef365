import type { CallerReport } from './caller-report.ts';
import type { Delivery } from './callback-ledger.ts';
import { callbackFaults } from './checks/callbacks.ts';
import { eventFaults, type LoggedCall } from './checks/events.ts';
import { sumFaults } from './checks/sums.ts';
import { outcomeFaults } from './checks/outcomes.ts';
import type { Fault } from './faults.ts';
import type { KeptRows } from './kept-rows.ts';

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
  /** Of all accounts, by the API. */
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
  if (evidence.rows.outbox > 0) blame('outbox', `${evidence.rows.outbox} rows were never sent`);
  return violations;
}
