import { BusUnavailableError } from '@calls/bus/bus-error';
import type { Bus } from '@calls/bus/bus';
import type { CallLogs, StoredCallLogEntry } from '@calls/bus/call-log';
import type { EventOfCall, Seal } from '@calls/bus/call-seal';
import { delay, type Clock } from '@calls/foundation/clock';
import type { CallRow } from '@calls/store/tables/calls';

/** The next instruction for a phone call, as the response to its provider. `transfer`: to a phone number or SIP URI. */
export type NextStep = { kind: 'stream' } | { kind: 'hang_up' } | { kind: 'transfer'; target: string };

export type PhoneCallRow = Pick<
  CallRow,
  'call_id' | 'joined_at' | 'refused_at' | 'ended_at' | 'transfer_to' | 'retention_policy'
>;

export interface NextStepDeps {
  callLogs: Pick<CallLogs, 'last'>;
  commands: Pick<Bus['commands'], 'send'>;
  eventSeal: Seal<EventOfCall>;
  clock: Clock;
}

/**
 * How long the end of a call may take to reach the log after its stream ended. A phone that is sent back to an ended
 * call is rejected there, and its provider asks again.
 */
const END_DELAY_LIMIT_MS = 500;
const POLL_INTERVAL_MS = 50;
const STATUS_LIMIT_MS = 250;

/**
 * Decides by the call log, which contains the end before the row does. A call without an end continues on any worker:
 * at once if this is its first stream, if a worker waits for the stream, or if its worker was lost, and after a pause
 * if it was rejected for lack of capacity.
 */
export async function nextStep(
  { callLogs, commands, eventSeal, clock }: NextStepDeps,
  call: PhoneCallRow,
): Promise<NextStep> {
  if (call.ended_at && call.transfer_to !== null) return { kind: 'transfer', target: call.transfer_to };
  const isFirst = !call.joined_at && !call.refused_at;
  const untilMs = clock.nowMs() + END_DELAY_LIMIT_MS;
  for (;;) {
    // The last look begins after the wait, however long this process was paused.
    const isLastLook = isFirst || clock.nowMs() >= untilMs;
    // The log is read after the worker was asked: a worker that ended the call replies until the log contains the end.
    const mayContinue = isLastLook || (await isReadyForStream(commands, call));
    const last = (await lastEvent(callLogs, call.call_id))?.event;
    if (last?.body.type === 'ended') return afterEnd(call, eventSeal, last);
    if (call.ended_at) return { kind: 'hang_up' };
    if (mayContinue) return { kind: 'stream' };
    await delay(clock, POLL_INTERVAL_MS);
  }
}

/** Whether a worker waits for the next stream of the call, or the worker of a joined call was lost. */
async function isReadyForStream(commands: NextStepDeps['commands'], call: PhoneCallRow): Promise<boolean> {
  try {
    const reply = await commands.send(call.call_id, { kind: 'status' }, STATUS_LIMIT_MS);
    return reply === null ? call.joined_at !== null : reply.outcome === 'not_joined';
  } catch {
    return false;
  }
}

/** Returns null while the bus is disconnected; then only the row decides. */
function lastEvent(callLogs: NextStepDeps['callLogs'], callId: string): Promise<StoredCallLogEntry | null> {
  return callLogs.last(callId).catch((thrown: unknown) => {
    if (thrown instanceof BusUnavailableError) return null;
    throw thrown;
  });
}

function afterEnd(call: PhoneCallRow, seal: Seal<EventOfCall>, end: EventOfCall): NextStep {
  const { body } = call.retention_policy === 'zdr' ? seal.open(end) : end;
  const target = 'transferTo' in body ? body.transferTo : undefined;
  return target === undefined ? { kind: 'hang_up' } : { kind: 'transfer', target };
}
