import { msToDuration, type CallEvent, type Message } from '@calls/api-contract';
import type { CallEventRow, CallMessageRow } from '@calls/store';

export function messageView(row: CallMessageRow): Message {
  return { ...row.message, callStageId: row.stage_id, callStageMessageIndex: row.message_index };
}

export function eventView(row: CallEventRow): CallEvent {
  return {
    callId: row.call_id,
    callStageId: row.stage_id,
    callTimestamp: msToDuration(row.call_timestamp_ms),
    severity: row.severity,
    type: row.type,
    text: row.text,
    extras: row.extras,
    wallClockTimestamp: row.wall_clock_at.toISOString(),
  };
}
