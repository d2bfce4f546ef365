import type { Bus } from '@calls/bus/bus';
import { delay, type Clock } from '@calls/foundation/clock';
import type { Database } from '@calls/store/store';
import { findCall } from '@calls/store/tables/calls';
import { deleteEndedCall } from '@calls/store/tables/deleted-calls';
import { HttpProblem, notFound, orNotFound } from '../problems/problem.ts';

/** How long the end of a call may take to be stored after the hang-up. */
const END_LIMIT_MS = 5000;
const POLL_INTERVAL_MS = 50;
const RETRY_AFTER_SECONDS = 5;

export interface DeleteCallDeps {
  db: Database;
  bus: Pick<Bus, 'commands'>;
  clock: Clock;
  /** Ends a call that no worker serves, unless a client has joined it. */
  endUnjoined: (call: { accountId: string; callId: string }) => Promise<void>;
}

/**
 * Deletes the account's call. A live call is ended first; if that fails, the call is not deleted and an error
 * is thrown.
 */
export async function deleteCall(
  deps: DeleteCallDeps,
  call: { accountId: string; callId: string },
): Promise<void> {
  const { ended_at: endedAt } = orNotFound('call', await findCall(deps.db, call.accountId, call.callId));
  if (!endedAt) await endLiveCall(deps, call);
  const deleted = await deps.db.transaction().execute((tx) => deleteEndedCall(tx, call));
  if (!deleted) throw notFound('call');
}

/** Resolves when the end of the call is stored. The bill is settled by then, and later events are dropped. */
async function endLiveCall(
  { db, bus, endUnjoined, clock }: DeleteCallDeps,
  { accountId, callId }: { accountId: string; callId: string },
): Promise<void> {
  const reply = await bus.commands.send(callId, { kind: 'end' });
  if (!reply) await endUnjoined({ accountId, callId });
  const untilMs = clock.nowMs() + END_LIMIT_MS;
  for (;;) {
    const call = orNotFound('call', await findCall(db, accountId, callId));
    if (call.ended_at) return;
    if ((!reply && call.joined_at) || clock.nowMs() >= untilMs) break;
    await delay(clock, POLL_INTERVAL_MS);
  }
  throw new HttpProblem(409, 'call_live', 'The call is live and could not be ended; try again later.', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
