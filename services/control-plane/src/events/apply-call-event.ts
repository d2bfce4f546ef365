import {
  ANSWERED_BY_EVENT,
  type CallLogEntry,
  type WarmTransferEventType,
} from '@calls/api-contract/bus/call-log-entry';
import { ANSWERED_BY } from '@calls/api-contract/rest/enums';
import { stageVoiceNote } from '@calls/call-lifecycle/creation/choose-voice';
import { Batches } from '@calls/foundation/batches';
import { unreachable } from '@calls/foundation/errors';
import { newId } from '@calls/foundation/ids';
import type { Logger } from '@calls/foundation/logger';
import { currentTrace, runInTrace } from '@calls/foundation/trace-context';
import type { Database } from '@calls/store/store';
import { isForeignKeyViolation, isStoreUnavailable } from '@calls/store/store-error';
import { claimEvent, claimWithEvent, insertEvent, type CallEventRow } from '@calls/store/tables/call-events';
import { claimWithMessage } from '@calls/store/tables/call-messages';
import { markStageBegun } from '@calls/store/tables/call-stages';
import {
  findAnyCall,
  markAnsweredBy,
  markHeldBy,
  markJoined,
  storeRecording,
  type CallRow,
} from '@calls/store/tables/calls';
import { deleteObjects, isDeleted, objectKeysOf } from '@calls/store/tables/deleted-calls';
import { insertOutbox } from '@calls/store/tables/outbox';
import { endTransferLegs } from '@calls/store/tables/transfer-legs';
import { endUnjoinedCalls, type UnjoinedEnd } from '@calls/store/tables/unjoined-calls';
import { inSpan, type Tracing } from '@calls/telemetry/tracing/span';
import { UNJOINED_BILL } from '../billing/bill-call.ts';
import { endCall, type EndingDeps } from '../calls/end-call.ts';

const LEG_ENDED: WarmTransferEventType = 'warm_transfer_ended';

export interface CallEventDeps extends EndingDeps {
  voiceAliases: ReadonlyMap<string, string>;
}

interface ApplyDeps extends CallEventDeps {
  db: Database;
  unjoinedEnds: UnjoinedEnds;
  /** Hangs up the phone call that was placed for a call, if it may still ring. Does not throw. */
  hangUpPhone: (call: CallRow) => void;
  log: Logger;
}

/** Ends calls that were never joined. Returns false for an end that has other effects, or already took effect. */
export type UnjoinedEnds = Batches<UnjoinedEnd, boolean>;

/** Ends calls in batches: ends at the same time share a statement and a commit. */
export function createUnjoinedEnds(db: Database): UnjoinedEnds {
  return new Batches({
    run: (ends) => endUnjoinedCalls(db, ends),
    concurrency: 1,
    maxItems: 50,
    capacity: 10_000,
    isOfOne: (thrown) => !isStoreUnavailable(thrown),
  });
}

/**
 * Applies a call log entry to the database. Each (callId, seq) takes effect once, in any order and however
 * often it arrives. Entries of unknown and deleted calls are dropped; the objects of deleted calls are
 * deleted. Returns true if the entry took effect now.
 */
export async function applyCallEvent(
  { db, log, unjoinedEnds, hangUpPhone, ...parts }: ApplyDeps,
  event: CallLogEntry,
): Promise<boolean> {
  const { callId, seq, body } = event;
  try {
    const written = writeRow(db, event);
    if (written) return await written;
    const end = unjoinedEnd(event);
    if (end && (await unjoinedEnds.add(end))) return true;
    let ended: CallRow | undefined;
    const isNew = await db.transaction().execute(async (tx) => {
      if (!(await claimEvent(tx, { callId, seq, type: body.type }))) return false;
      await takeEffect(tx, event, parts);
      // The row is locked: a provider's id of the phone call is stored either before this or after the end.
      if (end) ended = await findAnyCall(tx, callId);
      return true;
    });
    if (ended) hangUpPhone(ended);
    return isNew;
  } catch (thrown) {
    if (!isForeignKeyViolation(thrown)) throw thrown;
    if (!(await isDeleted(db, callId))) {
      log.warn({ callId, seq, type: body.type }, 'event of an unknown call dropped');
    } else if (body.type === 'ended') {
      await deleteObjects(db, objectKeysOf(event, body.recording?.key ?? null));
    }
    return false;
  }
}

/** Applies an entry whose only effect is a row; null for others. Resolves to false if it already took effect. */
function writeRow(db: Database, event: CallLogEntry): Promise<boolean> | null {
  const { callId, seq, body } = event;
  const { type } = body;
  if (type === 'message_added') {
    const { stageId, index, message } = body;
    const addedAt = new Date(event.wallClockMs);
    return claimWithMessage(db, type, { callId, stageId, index, seq, addedAt, message });
  }
  if (type === 'noted' && body.eventType !== ANSWERED_BY_EVENT && body.eventType !== LEG_ENDED)
    return claimWithEvent(db, type, eventRowOf(event, body));
  return type === 'output_medium_set' ? claimEvent(db, { callId, seq, type }) : null;
}

/** Null for entries that are not the end of a call that was never joined, or have other effects. */
function unjoinedEnd({ callId, seq, wallClockMs, body }: CallLogEntry): UnjoinedEnd | null {
  if (body.type !== 'ended' || body.joinedAtMs !== null) return null;
  const { endReason, inputTokens, outputTokens, recording, sip, transferTo } = body;
  if (recording || sip || transferTo !== undefined) return null;
  const at = new Date(wallClockMs);
  return { callId, seq, at, endReason, inputTokens, outputTokens, billingStatus: UNJOINED_BILL.status };
}

function eventRowOf(
  { callId, seq, wallClockMs }: CallLogEntry,
  note: CallLogEntry['body'] & { type: 'noted' },
): CallEventRow {
  return {
    call_id: callId,
    seq,
    stage_id: note.stageId,
    call_timestamp_ms: note.callTimestampMs,
    wall_clock_at: new Date(wallClockMs),
    severity: note.severity,
    type: note.eventType,
    text: note.text,
    extras: note.extras,
  };
}

/** The effects of all entries that `writeRow` does not apply. */
async function takeEffect(
  tx: Database,
  event: CallLogEntry,
  { voiceAliases, ...ending }: CallEventDeps,
): Promise<void> {
  const { callId, seq, body } = event;
  const at = new Date(event.wallClockMs);
  switch (body.type) {
    case 'joined':
      await markJoined(tx, callId, { ...body, at });
      await ending.notices.joined(tx, callId);
      return;
    case 'taken_over':
      await markHeldBy(tx, callId, body.workerId);
      // The new worker does not continue the transfers of the earlier one.
      await endTransferLegs(tx, callId, { legId: null, at });
      return;
    case 'message_added':
    case 'output_medium_set':
      return;
    case 'stage_began': {
      const { stageId, messageCount } = body;
      await markStageBegun(tx, { callId, stageId, at, messageCount });
      const note = await stageVoiceNote({ db: tx, voiceAliases }, { ...event, stageId });
      if (!note) return;
      const call = await findAnyCall(tx, callId);
      await insertEvent(tx, {
        ...note,
        call_id: callId,
        seq,
        stage_id: stageId,
        call_timestamp_ms: call?.joined_at ? Math.max(0, at.getTime() - call.joined_at.getTime()) : 0,
        wall_clock_at: at,
      });
      return;
    }
    case 'noted': {
      await insertEvent(tx, eventRowOf(event, body));
      const answeredBy = ANSWERED_BY.find((each) => each === body.extras?.['answeredBy']);
      if (answeredBy) await markAnsweredBy(tx, callId, { answeredBy, seq });
      if (body.eventType === LEG_ENDED) {
        // Absent for calls with zero retention.
        const legId = body.extras?.['transferId'];
        await endTransferLegs(tx, callId, { legId: typeof legId === 'string' ? legId : null, at });
      }
      return;
    }
    case 'ended': {
      const ended = await endCall({ tx, ...ending }, callId, {
        at,
        endReason: body.endReason,
        joinedAt: body.joinedAtMs === null ? null : new Date(body.joinedAtMs),
        inputTokens: body.inputTokens,
        outputTokens: body.outputTokens,
        transferTo: body.transferTo,
        sip: body.sip,
      });
      if (body.recording) await storeRecording(tx, callId, body.recording);
      // Another process than the call's worker appended this end, so it does not include what the worker stored or left
      // unfinished.
      if (ended && body.recording === undefined && body.joinedAtMs !== null) await scheduleFinish(tx, event);
      return;
    }
    default:
      unreachable(body);
  }
}

async function scheduleFinish(tx: Database, { accountId, callId }: CallLogEntry): Promise<void> {
  const payload = { kind: 'finish_call_objects', accountId, callId };
  await insertOutbox(tx, newId(), { topic: 'job', payload });
}

/** Applies an event within its call's trace. Frequent events get no span. */
export function applyTraced(
  tracing: Tracing,
  { callId, body }: CallLogEntry,
  apply: () => Promise<void>,
): Promise<void> {
  if (body.type === 'message_added' || body.type === 'noted')
    return runInTrace(currentTrace(), apply, callId);
  const attributes = { 'call.id': callId, 'call.event': body.type };
  return inSpan(tracing, 'apply call event', { kind: 'consumer', attributes }, apply);
}
