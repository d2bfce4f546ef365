import type { Bus } from '@calls/bus';
import { newId, type Clock, type Logger } from '@calls/foundation';
import type { LimitsByPlan } from '@calls/rate-limits';
import { insertOutbox, listOverdueCalls, type CallRow, type Database } from '@calls/store';
import { endCall } from './end-call.ts';

/** The worker that holds a call ends it in time; these are for calls that no worker holds, or whose worker is lost. */
const UNJOINED_GRACE_MS = 15_000;
const JOINED_GRACE_MS = 60_000;
const BATCH = 100;

/** Ends calls whose time is long over: `unjoined`, or `system_error` where the worker of a joined call fell silent. */
export async function endOverdueCalls(parts: {
  db: Database;
  bus: Bus;
  planLimits: LimitsByPlan;
  clock: Clock;
  log: Logger;
}): Promise<void> {
  // While the bus is away the workers' own events can't come.
  if (!parts.bus.connected) return;
  const overdue = await listOverdueCalls(parts.db, {
    unjoinedGraceMs: UNJOINED_GRACE_MS,
    joinedGraceMs: JOINED_GRACE_MS,
    limit: BATCH,
  });
  for (const call of overdue) {
    const joined = call.joined_at !== null;
    const at = joined ? new Date(parts.clock.wallMs()) : call.expires_at;
    const endReason = joined ? 'system_error' : 'unjoined';
    const ended = await parts.db.transaction().execute(async (tx) => {
      const isEnded = await endCall({ tx, planLimits: parts.planLimits }, call.call_id, {
        at,
        endReason,
        joinedAt: null,
        inputTokens: null,
        outputTokens: null,
      });
      // Its worker told nothing of what it stored, and may have left it unfinished.
      if (isEnded && joined) await orderFinish(tx, call);
      return isEnded;
    });
    if (ended) parts.log.warn({ callId: call.call_id, endReason }, 'call ended for want of a worker');
  }
}

async function orderFinish(tx: Database, call: Pick<CallRow, 'account_id' | 'call_id'>): Promise<void> {
  const payload = { kind: 'finish_call_objects', accountId: call.account_id, callId: call.call_id };
  await insertOutbox(tx, newId(), { topic: 'job', payload });
}
