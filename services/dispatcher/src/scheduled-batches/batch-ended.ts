import type { BatchEndedPayload } from '@calls/api-contract/rest/webhook-payload';
import { batchFacts } from '@calls/call-lifecycle/notifications/views';
import {
  receiverIdOf,
  sealContent,
  writeDeliveries,
} from '@calls/call-lifecycle/notifications/write-deliveries';
import { newId } from '@calls/foundation/ids';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import type { ScheduledBatchRow } from '@calls/store/tables/scheduled-batches';

/** Schedules the webhook delivery in the transaction in which the batch ended. */
export async function scheduleBatchEnded(
  { tx, secretBox }: { tx: Database; secretBox: SecretBox },
  batch: ScheduledBatchRow,
): Promise<void> {
  const { webhook_url: url, webhook_secret: secret, account_id: accountId } = batch;
  if (batch.ended_at === null || url === null) return;
  const event = 'batch.ended';
  const body = JSON.stringify({
    event,
    agentId: batch.agent_id,
    batch: batchFacts(batch),
  } satisfies BatchEndedPayload);
  const secrets = secret === null ? [] : [secretBox.open(secret, webhookSecretContext(accountId))];
  const content = sealContent(secretBox, accountId, { body, secrets });
  await writeDeliveries(tx, [
    {
      deliveryId: newId(),
      accountId,
      receiverId: receiverIdOf(accountId, url),
      webhookId: null,
      callId: null,
      event,
      step: 0,
      url,
      content,
    },
  ]);
}
