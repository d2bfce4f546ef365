import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { Bus } from '@calls/bus/bus';
import { CallLogMovedError } from '@calls/bus/bus-error';
import type { Lease } from '@calls/bus/leases';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Logger } from '@calls/foundation/logger';
import { parseTraceparent, runInTrace } from '@calls/foundation/trace-context';
import type { Database } from '@calls/store/store';
import { lastEventSeq } from '@calls/store/tables/call-events';

export interface EndByLogDeps {
  db: Database;
  bus: Pick<Bus, 'leases' | 'callLogs'>;
  clock: Clock;
  log: Logger;
  /** Applies an entry of the call log; idempotent. */
  apply: (event: CallLogEntry) => Promise<void>;
}

export interface CallToEnd {
  callId: string;
  accountId: string;
  joinedAtMs: number | null;
  endReason: EndReason;
  /** Null: the time of the last log entry. */
  endedAtMs: number | null;
}

const MAX_ATTEMPTS = 5;

/**
 * Ends a call in place of its worker: takes over the lease, so that no worker has the call, and appends the end to the
 * call log, from which it is applied to the database. Does nothing if the call has ended, or another process has taken
 * it over.
 */
export async function endByLog(deps: EndByLogDeps, call: CallToEnd): Promise<void> {
  const { bus, db, clock, log, apply } = deps;
  const { callId, accountId, joinedAtMs, endReason } = call;
  const holder = { workerId: `control-plane-${newId()}`, url: '' };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = await bus.leases.find(callId);
    let lease: Lease | null = null;
    if (!found && !(await bus.leases.endUntaken(callId))) continue;
    if (found?.call) {
      lease = await bus.leases.takeOver(found, holder);
      if (!lease) continue;
    }
    const last = await bus.callLogs.last(callId);
    if (last?.event.body.type === 'ended') {
      await apply(last.event);
      if (lease) await bus.leases.end(lease);
      return;
    }
    const event: CallLogEntry = {
      callId,
      accountId,
      // If the stream lost data, the database has a higher sequence number.
      seq: Math.max(last?.event.seq ?? 0, await lastEventSeq(db, callId)) + 1,
      epoch: Math.max(lease?.epoch ?? found?.epoch ?? 0, last?.event.epoch ?? 0),
      wallClockMs: call.endedAtMs ?? last?.event.wallClockMs ?? clock.wallMs(),
      body: { type: 'ended', endReason, joinedAtMs, inputTokens: 0, outputTokens: 0 },
    };
    try {
      await runInTrace(parseTraceparent(found?.call?.trace), async () => {
        await bus.callLogs.append(event, last?.position ?? 0);
        const workerId = found?.holder?.workerId ?? null;
        log.warn({ callId, endReason, workerId }, 'ended call that no worker serves');
      });
      if (lease) await bus.leases.end(lease);
      return;
    } catch (thrown) {
      if (!(thrown instanceof CallLogMovedError)) throw thrown;
    }
  }
}
