import type { StoredCall } from '../stored-rows.ts';
import type { AddViolation, Evidence } from '../verdict.ts';

/** Checks that usage, facts, free minutes and calls have equal sums, which detects values that were counted twice. */
export function checkSums(
  { rows, usage }: Pick<Evidence, 'rows' | 'usage'>,
  addViolation: AddViolation,
): void {
  const calls = [...rows.calls.values()];
  const differ = (what: string, found: number, expected: number): void => {
    if (Math.abs(found - expected) > 1e-6)
      addViolation('sums', `${what}: ${found}, the calls have ${expected}`);
  };
  const paidMs = sumOf(calls, (call) => (call.billingStatus === 'BILLING_STATUS_BILLED' ? call.billedMs : 0));
  differ('calls in the facts', rows.facts.calls, calls.length);
  differ('ended calls in the facts', rows.facts.ended, calls.length);
  differ(
    'billed milliseconds in the facts',
    rows.facts.billedMs,
    sumOf(calls, ({ billedMs }) => billedMs),
  );
  differ('calls in the usage of the API', usage.totalCount, calls.length);
  differ('billed minutes in the usage of the API', usage.billedMinutes, paidMs / 60_000);
  for (const [accountId, used] of rows.freeSecondsUsed) {
    const own = calls.filter((call) => call.accountId === accountId);
    differ(`used free seconds of ${accountId}`, used, sumOf(own, freeSeconds));
  }
}

/** At most the time reserved for the call. */
function freeSeconds({ billingStatus, billedMs, freeSecondsReserved }: StoredCall): number {
  if (billingStatus !== 'BILLING_STATUS_FREE_MINUTES') return 0;
  return Math.min((billedMs ?? 0) / 1000, freeSecondsReserved ?? Infinity);
}

function sumOf(calls: readonly StoredCall[], valueOf: (call: StoredCall) => number | null): number {
  return calls.reduce((sum, call) => sum + (valueOf(call) ?? 0), 0);
}
