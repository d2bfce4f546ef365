import type { ScheduledCall, ScheduledCallBatch, ScheduledCallStatus } from '@calls/api-contract';
import { batchFacts } from '@calls/call-creation';
import { webhookSecretContext, type SecretBox } from '@calls/secret-box';
import type { ScheduledBatchRow, ScheduledCallRow, ScheduledCallState } from '@calls/store';
import { openOrNothing, withoutPassword } from '@calls/call-notices';

export function batchView(row: ScheduledBatchRow, secretBox: SecretBox): ScheduledCallBatch {
  const { webhook_secret: sealed } = row;
  const context = webhookSecretContext(row.account_id);
  return { ...batchFacts(row), webhookSecret: sealed && openOrNothing(secretBox, sealed, context) };
}

export function scheduledCallView(
  row: ScheduledCallRow,
  batch: ScheduledBatchRow,
  wallMs: number,
): ScheduledCall {
  const { medium, metadata = null, templateContext = null, experimentalSettings = null } = row.request;
  return {
    status: statusesOf(batch, wallMs)[row.state],
    batchId: row.batch_id,
    callId: row.call_id,
    error: row.error,
    ...(medium && { medium: withoutPassword(medium) }),
    metadata,
    templateContext,
    experimentalSettings,
  };
}

/** The states that are shown as this status. */
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
