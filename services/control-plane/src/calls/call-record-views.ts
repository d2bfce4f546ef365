import { msToDuration } from '@calls/api-contract/duration';
import type { CallEvent, CallStage, CallTombstone } from '@calls/api-contract/rest/call-records';
import { showCallSettings } from '@calls/api-contract/rest/call-settings';
import type { Message } from '@calls/api-contract/rest/message';
import { openWords } from '@calls/call-lifecycle/creation/secrets';
import { stageSettings } from '@calls/call-lifecycle/creation/stages/stage-settings';
import { shownSettings } from '@calls/call-lifecycle/notifications/shown-settings';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { CallEventRow } from '@calls/store/tables/call-events';
import type { CallFactsRow } from '@calls/store/tables/call-facts';
import type { CallMessageRow } from '@calls/store/tables/call-messages';
import type { CallStageRow } from '@calls/store/tables/call-stages';
import type { CallRow } from '@calls/store/tables/calls';

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

/** A stage with its settings: those of the call with the changes of the stage. */
export function stageView(box: SecretBox, row: CallStageRow, call: CallRow): CallStage {
  const overrides = openWords(box, call, row.overrides);
  const settings = shownSettings(box, { ...call, settings: stageSettings(call.settings, overrides) });
  return {
    ...showCallSettings('stage', settings),
    callId: row.call_id,
    callStageId: row.stage_id,
    created: row.created_at.toISOString(),
    initialTokenCount: row.initial_token_count,
    latestTokenCount: row.latest_token_count,
    errorCount: row.error_count,
  };
}

export function tombstoneView(row: CallFactsRow): CallTombstone {
  return {
    callId: row.call_id,
    accountId: row.account_id,
    created: row.created_at.toISOString(),
    // Only deleted calls are shown in this view.
    deletionTime: (row.deleted_at ?? row.created_at).toISOString(),
    joined: row.joined_at?.toISOString() ?? null,
    ended: row.ended_at?.toISOString() ?? null,
    maxDuration: row.max_duration,
    endReason: row.end_reason,
    recordingEnabled: row.recording_enabled,
    hadSummary: row.had_summary,
  };
}
