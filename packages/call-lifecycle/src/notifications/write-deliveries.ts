import { createHash } from 'node:crypto';
import { newId } from '@calls/foundation/ids';
import type { Database } from '@calls/store/store';
import { insertOutboxRows } from '@calls/store/tables/outbox';
import {
  insertDeliveries,
  type DeliveryLimits,
  type NewDelivery,
} from '@calls/store/tables/webhook-deliveries';

/** The first and ten more; what can't be tried that often within a day, as its receiver answers too slowly, is given up. */
export const DELIVERY_LIMITS: DeliveryLimits = { tries: 11, giveUpAfterMs: 24 * 3600_000 };

/**
 * Orders, in the caller's transaction, that receivers are told: it happens if and only if the transaction does. Events of a
 * call reach each receiver in the order of their steps, each once.
 */
export async function writeDeliveries(tx: Database, deliveries: readonly NewDelivery[]): Promise<void> {
  await insertDeliveries(tx, deliveries, DELIVERY_LIMITS);
  await enqueueDeliveries(tx, [...new Set(deliveries.map((each) => each.receiverId))]);
}

/** Has what these receivers are to be told by now delivered. */
export async function enqueueDeliveries(tx: Database, receiverIds: readonly string[]): Promise<void> {
  await insertOutboxRows(
    tx,
    receiverIds.map((receiverId) => ({
      outboxId: newId(),
      message: { topic: 'job', payload: { kind: 'serve_receiver', receiverId } },
    })),
  );
}

/** Who is told at URLs that are given with calls and batches: one for an account's URLs of one origin. */
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
