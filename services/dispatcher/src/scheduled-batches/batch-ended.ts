import { batchFacts } from '@calls/call-creation';
import type { JobOf } from '@calls/delivery';
import { newId } from '@calls/foundation';
import { insertOutbox, type Database, type ScheduledBatchRow } from '@calls/store';

/** Orders, in the transaction in which the batch ended, that its webhook is told. */
export async function tellOfEnd(tx: Database, batch: ScheduledBatchRow): Promise<void> {
  const { webhook_url: url, webhook_secret: secret } = batch;
  if (batch.ended_at === null || url === null) return;
  const deliveryId = newId();
  const job: JobOf<'deliver_webhook'> = {
    kind: 'deliver_webhook',
    deliveryId,
    accountId: batch.account_id,
    url,
    body: JSON.stringify({ event: 'batch.ended', agentId: batch.agent_id, batch: batchFacts(batch) }),
    sealedSecrets: secret === null ? [] : [secret],
  };
  await insertOutbox(tx, deliveryId, { topic: 'job', payload: job });
}
