import type { CallTombstone } from '@calls/api-contract/rest/call-tombstone';
import type { CallFactsRow } from '@calls/store/tables/call-facts';

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
