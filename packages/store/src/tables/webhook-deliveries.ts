import type { WebhookEvent } from '@calls/api-contract/rest/webhook';
import type { DeliveryStatus } from '@calls/api-contract/rest/webhook-delivery';
import { currentTraceparent } from '@calls/foundation/trace-context';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { WebhookDeliveryTable } from '../schema/webhook-tables.ts';
import type { Database } from '../store.ts';

export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;

export interface NewDelivery {
  deliveryId: string;
  accountId: string;
  receiverId: string;
  webhookId: string | null;
  callId: string | null;
  event: string;
  step: number;
  url: string;
  /** Sealed. */
  content: string;
}

/** How often and for how long a delivery is attempted. */
export interface DeliveryLimits {
  tries: number;
  giveUpAfterMs: number;
}

/** Inserts deliveries with the current trace. Skips events that the receiver already has a delivery for. */
export async function insertDeliveries(
  db: Database,
  deliveries: readonly NewDelivery[],
  limits: DeliveryLimits,
): Promise<void> {
  if (deliveries.length === 0) return;
  await db
    .insertInto('webhook_deliveries')
    .values(
      deliveries.map((each) => ({
        delivery_id: each.deliveryId,
        account_id: each.accountId,
        receiver_id: each.receiverId,
        webhook_id: each.webhookId,
        call_id: each.callId,
        event: each.event,
        step: each.step,
        url: each.url,
        content: each.content,
        tries_left: limits.tries,
        give_up_at: inMs(limits.giveUpAfterMs),
        trace: currentTraceparent() ?? null,
      })),
    )
    .onConflict((conflict) => conflict.columns(['call_id', 'event', 'receiver_id']).doNothing())
    .execute();
}

/** Deletes the deliveries of an event that can happen again. */
export async function deleteDeliveries(tx: Database, callId: string, event: string): Promise<void> {
  await tx
    .deleteFrom('webhook_deliveries')
    .where('call_id', '=', callId)
    .where('event', '=', event)
    .execute();
}

/** The time in `ms` from now, by the database's clock. */
export function inMs(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${ms / 1000}::float8)`;
}

export interface WebhookSubscriber {
  webhookId: string;
  url: string;
  events: WebhookEvent[];
}

/** The account's webhooks subscribed to calls of this agent (null: calls without an agent). */
export function subscribersOf(
  db: Database,
  accountId: string,
  agentId: string | null,
): Promise<WebhookSubscriber[]> {
  return db
    .selectFrom('webhooks')
    .select(['webhook_id as webhookId', 'url', 'events'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('agent_id', 'is', null), eb('agent_id', '=', agentId)]))
    .orderBy('webhook_id')
    .execute();
}

/** Whether the call has callbacks or webhook subscribers. */
export async function hasSubscribers(db: Database, callId: string): Promise<boolean> {
  const { rows } = await sql<{ subscribed: boolean }>`
    select settings->'callbacks' is not null or exists (
      select from webhooks w where w.account_id = c.account_id and (w.agent_id is null or w.agent_id = c.agent_id)
    ) as subscribed
    from calls c where call_id = ${callId}`.execute(db);
  return rows[0]?.subscribed ?? false;
}

export interface DeliveryFilters {
  status?: DeliveryStatus | undefined;
  webhookId?: string | undefined;
  callId?: string | undefined;
}

/** Newest first. */
export function deliveriesOf(
  db: Database,
  accountId: string,
  { status, webhookId, callId }: DeliveryFilters,
): PageSource<WebhookDeliveryRow> {
  let query = db.selectFrom('webhook_deliveries').selectAll().where('account_id', '=', accountId);
  if (status !== undefined) query = query.where('status', '=', status);
  if (webhookId !== undefined) query = query.where('webhook_id', '=', webhookId);
  if (callId !== undefined) query = query.where('call_id', '=', callId);
  return pagesOf(query, orderedBy('desc', 'delivery_id'));
}

export function findDelivery(
  db: Database,
  accountId: string,
  deliveryId: string,
): Promise<WebhookDeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
}

/** Makes it due now, with the full number of attempts. Undefined if there is none, or it was delivered. */
export function redeliver(
  db: Database,
  accountId: string,
  deliveryId: string,
  limits: DeliveryLimits,
): Promise<WebhookDeliveryRow | undefined> {
  return db
    .updateTable('webhook_deliveries')
    .set({
      status: 'pending',
      tries_left: limits.tries,
      due_at: sql<Date>`now()`,
      give_up_at: inMs(limits.giveUpAfterMs),
      finished_at: null,
    })
    .where('account_id', '=', accountId)
    .where('delivery_id', '=', deliveryId)
    .where('status', '<>', 'delivered')
    .returningAll()
    .executeTakeFirst();
}
