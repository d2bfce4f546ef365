import { createHash } from 'node:crypto';
import { newId } from '@calls/foundation/ids';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import { insertOutboxRows } from '@calls/store/tables/outbox';
import {
  insertDeliveries,
  type DeliveryLimits,
  type NewDelivery,
} from '@calls/store/tables/webhook-deliveries';
import { Type, type Static } from 'typebox';

/** One delivery and ten retries, within one day. */
export const DELIVERY_LIMITS: DeliveryLimits = { tries: 11, giveUpAfterMs: 24 * 3600_000 };

/**
 * Enqueues deliveries in the transaction of the caller. Each receiver gets the events of a call once, in the order of their steps.
 */
export async function writeDeliveries(tx: Database, deliveries: readonly NewDelivery[]): Promise<void> {
  await insertDeliveries(tx, deliveries, DELIVERY_LIMITS);
  await enqueueDeliveries(tx, [...new Set(deliveries.map((each) => each.receiverId))]);
}

/** Enqueues a run of the due deliveries of these receivers. */
export async function enqueueDeliveries(tx: Database, receiverIds: readonly string[]): Promise<void> {
  await insertOutboxRows(
    tx,
    receiverIds.map((receiverId) => ({
      outboxId: newId(),
      message: { topic: 'job', payload: { kind: 'serve_receiver', receiverId } },
    })),
  );
}

/** Receiver id for the URLs of calls and batches: one for each account and origin. */
export function receiverIdOf(accountId: string, url: string): string {
  const digest = createHash('sha256')
    .update(`${accountId} ${new URL(url).origin}`)
    .digest('hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

const DeliveryContent = Type.Object({
  /** JSON body as sent and signed. */
  body: Type.String(),
  /** Secrets that sign the body; empty for webhooks, which have their own. */
  secrets: Type.Array(Type.String()),
});
type DeliveryContent = Static<typeof DeliveryContent>;

const content = compileValidator('delivery', DeliveryContent);

/** Seals the secrets, for storage. */
export function sealContent(box: SecretBox, accountId: string, { body, secrets }: DeliveryContent): string {
  return box.seal(JSON.stringify({ body, secrets }), webhookSecretContext(accountId));
}

/** Reverses `sealContent`. */
export function openContent(box: SecretBox, accountId: string, sealed: string): DeliveryContent {
  return content.parse(JSON.parse(box.open(sealed, webhookSecretContext(accountId))));
}
