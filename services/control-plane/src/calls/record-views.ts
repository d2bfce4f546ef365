import { msToDuration } from '@calls/api-contract/duration';
import type { CallEvent } from '@calls/api-contract/rest/call-event';
import type { Message } from '@calls/api-contract/rest/message';
import type { CallEventRow } from '@calls/store/tables/call-events';
import type { CallMessageRow } from '@calls/store/tables/call-messages';

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
