import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import { CallLogMovedError } from '@calls/bus/bus-error';
import type { CallLogs, StoredCallLogEntry } from '@calls/bus/call-log';
import type { Lease } from '@calls/bus/leases';
import type { StageResolver } from '@calls/conversation/ports/tools';
import { rebuildCall } from '@calls/conversation/resume/rebuild-call';
import type { SuspendedCall } from '@calls/conversation/session/call-outcome';
import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { LogEnd } from '../call-log/call-log-writer.ts';

/** The log of a call that continues here. */
export interface ClaimedLog {
  /** Null if the log is empty. */
  after: LogEnd | null;
  /** Null if no client has joined. */
  resumeFrom: SuspendedCall | null;
}

export interface KnownLog {
  known: readonly StoredCallLogEntry[];
  isComplete: boolean;
}

const NOTHING_KNOWN: KnownLog = { known: [], isComplete: false };

export interface ClaimCallLogDeps {
  callLogs: Pick<CallLogs, 'read' | 'append'>;
  stages: StageResolver;
  clock: Clock;
  log: Logger;
}

/** The call event with which a stopping worker leaves a joined call to another one. It dates the break. */
export const HANDED_OVER = 'handed_over';

const MAX_ATTEMPTS = 5;
/** Time limit for the stages of a call that is rebuilt. */
export const STAGE_LIMIT_MS = 4000;

/**
 * Claims the log of a call for its new owner. After the new owner's first entry, appends of earlier owners fail, so the
 * entries read before are complete. `over`: the call has ended, or ends now because it cannot resume. `moved`: a later
 * owner has the log. `known`: the first entries of the log, which are not read again. `isComplete`: the log had no
 * other entries a moment ago.
 */
export async function claimCallLog(
  deps: ClaimCallLogDeps,
  spec: CallSpec,
  lease: Lease,
  { known, isComplete }: KnownLog = NOTHING_KNOWN,
): Promise<ClaimedLog | 'over' | 'moved'> {
  const { callLogs, stages, clock, log } = deps;
  const { callId, accountId } = spec;
  const events = [...known];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (attempt > 0 || !isComplete)
      for (const entry of await callLogs.read(callId, events.at(-1)?.position)) events.push(entry);
    const last = events.at(-1);
    if (last?.event.body.type === 'ended') return 'over';
    if (last && last.event.epoch > lease.epoch) return 'moved';
    const written = events.map(({ event }) => event);
    const joined = written.find(({ body }) => body.type === 'joined');
    const before = written.findLast(({ body }) => body.type !== 'taken_over');
    const lostAtMs = before?.wallClockMs ?? clock.wallMs();
    const isHandedOver = before?.body.type === 'noted' && before.body.eventType === HANDED_OVER;
    const isLost = joined && spec.retention === 'zdr';
    // Rebuilds the conversation before the log is claimed: if this fails, the rows still name the failed owner, and the
    // control-plane ends the calls of that owner.
    const snapshot =
      joined && !isLost
        ? await rebuildCall(spec, written, stages, AbortSignal.timeout(STAGE_LIMIT_MS))
        : null;
    const seq = (last?.event.seq ?? 0) + 1;
    const first = {
      callId,
      accountId,
      seq,
      epoch: lease.epoch,
      ...(isLost
        ? { wallClockMs: lostAtMs, body: lostWithItsWorker(joined.wallClockMs) }
        : {
            wallClockMs: clock.wallMs(),
            body: { type: 'taken_over' as const, workerId: lease.workerId },
          }),
    };
    let position: number;
    try {
      position = await callLogs.append(first, last?.position ?? 0);
    } catch (thrown) {
      if (thrown instanceof CallLogMovedError) continue;
      throw thrown;
    }
    if (isLost) {
      log.warn({}, 'ended call without stored conversation after its worker failed');
      return 'over';
    }
    return {
      after: { seq, position },
      resumeFrom: snapshot && { kind: 'suspended', snapshot, lostAtMs, isHandedOver },
    };
  }
  throw new AppError('call_log_busy', 'the call log is still changing; try again', { retryable: true });
}

function lostWithItsWorker(joinedAtMs: number): CallLogEntryBody {
  return {
    type: 'ended',
    endReason: 'system_error',
    joinedAtMs,
    inputTokens: 0,
    outputTokens: 0,
    recording: null,
  };
}
