import type { ScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import type { ScheduledBatchRow } from '@calls/store/tables/scheduled-batches';

/** A batch in the form of the API. */
export function batchFacts(row: ScheduledBatchRow): ScheduledCallBatch {
  return {
    batchId: row.batch_id,
    created: row.created_at.toISOString(),
    windowStart: row.window_start?.toISOString() ?? null,
    windowEnd: row.window_end?.toISOString() ?? null,
    throttle: row.throttle,
    webhookUrl: row.webhook_url,
    paused: row.paused,
    totalCount: row.total_count,
    completedCount: row.completed_count,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
