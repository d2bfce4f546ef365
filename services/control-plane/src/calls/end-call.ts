import type { SipFacts } from '@calls/api-contract/bus/call-log-entry';
import type { CallNotifications } from '@calls/call-lifecycle/notifications/call-notifications';
import { newId } from '@calls/foundation/ids';
import { limitsOf, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { Database } from '@calls/store/store';
import { addFreeSecondsUsed, lockAccount } from '@calls/store/tables/accounts';
import { requestAnalysis } from '@calls/store/tables/call-analyses';
import { markEnded, settleBill, settleSip, type CallEnd } from '@calls/store/tables/calls';
import { insertOutbox } from '@calls/store/tables/outbox';
import { billCall, billSip } from '../billing/bill-call.ts';

/** The last messages of a call may arrive shortly after its end. */
const FOLLOW_UP_DELAY_MS = 2000;

export interface EndingDeps {
  planLimits: LimitsByPlan;
  notices: CallNotifications;
}

/**
 * Ends a call, bills it and schedules its follow-up jobs, in the caller's transaction. Returns false, without
 * changes, if the call had already ended.
 */
export async function endCall(
  { tx, planLimits, notices }: EndingDeps & { tx: Database },
  callId: string,
  end: CallEnd & { sip?: SipFacts | undefined },
): Promise<boolean> {
  const ended = await markEnded(tx, callId, end);
  if (!ended) return false;
  const account = await lockAccount(tx, ended.account_id);
  const bill = billCall(
    {
      endReason: end.endReason,
      joinedAtMs: ended.joined_at?.getTime() ?? null,
      endedAtMs: end.at.getTime(),
      fromConsole: ended.from_console,
      freeSecondsReserved: ended.free_seconds_reserved,
    },
    { freeMinutes: limitsOf(planLimits, account).freeMinutes, freeSecondsUsed: account.free_seconds_used },
  );
  await settleBill(tx, callId, bill);
  if (end.sip) {
    const facts = { endReason: end.endReason, fromConsole: ended.from_console };
    await settleSip(tx, callId, end.sip, billSip(facts, end.sip.durationMs));
  }
  if (bill.freeSeconds > 0) await addFreeSecondsUsed(tx, ended.account_id, bill.freeSeconds);
  // Calls without retention have no stored transcript to summarize and analyze.
  const hasTranscript = ended.joined_at !== null && ended.retention_policy === 'retain';
  if (hasTranscript && ended.analysis_model !== null) {
    const call = { call_id: callId, account_id: ended.account_id, model: ended.analysis_model };
    await requestAnalysis(tx, call, { requestedAt: end.at, delayMs: FOLLOW_UP_DELAY_MS });
  }
  await notices.ended(tx, callId);
  if (hasTranscript) {
    const payload = { kind: 'summarize_call', callId };
    await insertOutbox(tx, newId(), { topic: 'job', payload }, FOLLOW_UP_DELAY_MS);
  }
  return true;
}
