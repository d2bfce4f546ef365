import { ScheduledCall, type ScheduledCallStatus } from '@calls/api-contract/rest/scheduled-batch';
import { withoutSecrets } from '@calls/api-contract/secrets';
import type { ScheduledCallState } from '@calls/store/schema/scheduled-batch-tables';
import type { ScheduledBatchRow, ScheduledCallRow } from '@calls/store/tables/scheduled-batches';

export function scheduledCallView(
  row: ScheduledCallRow,
  batch: ScheduledBatchRow,
  wallMs: number,
): ScheduledCall {
  const request = withoutSecrets(ScheduledCall.Request, row.request);
  const { medium, metadata = null, templateContext = null, experimentalSettings = null } = request;
  return {
    status: statusesOf(batch, wallMs)[row.state],
    batchId: row.batch_id,
    callId: row.call_id,
    error: row.error,
    ...(medium && { medium }),
    metadata,
    templateContext,
    experimentalSettings,
  };
}

/** The stored states with this status. */
export function statesOf(
  status: ScheduledCallStatus,
  batch: ScheduledBatchRow,
  wallMs: number,
): ScheduledCallState[] {
  const shown = Object.entries(statusesOf(batch, wallMs)) as [ScheduledCallState, ScheduledCallStatus][];
  return shown.filter(([, as]) => as === status).map(([state]) => state);
}

function statusesOf(
  { window_start: start }: ScheduledBatchRow,
  wallMs: number,
): Record<ScheduledCallState, ScheduledCallStatus> {
  return {
    waiting: start && start.getTime() > wallMs ? 'FUTURE' : 'PENDING',
    created: 'SUCCESS',
    expired: 'EXPIRED',
    failed: 'ERROR',
  };
}
