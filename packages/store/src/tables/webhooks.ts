import type { WebhookEvent } from '@calls/api-contract/rest/webhook';
import type { Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { WebhookTable } from '../schema/webhook-tables.ts';
import type { Database } from '../store.ts';

export type WebhookRow = Selectable<WebhookTable>;

function ofAccount(db: Database, accountId: string) {
  return db.selectFrom('webhooks').selectAll().where('account_id', '=', accountId);
}

/** Newest first. `agentId`: webhooks of this agent; null: webhooks of all agents' calls; undefined: all webhooks. */
export function webhooksOf(
  db: Database,
  accountId: string,
  agentId: string | null | undefined,
): PageSource<WebhookRow> {
  let query = ofAccount(db, accountId);
  if (agentId !== undefined) {
    query = agentId === null ? query.where('agent_id', 'is', null) : query.where('agent_id', '=', agentId);
  }
  return pagesOf(query, orderedBy('desc', 'created_at', 'webhook_id'));
}

export function findWebhook(
  db: Database,
  accountId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  return ofAccount(db, accountId).where('webhook_id', '=', webhookId).executeTakeFirst();
}

export interface NewWebhook {
  webhookId: string;
  accountId: string;
  agentId: string | null;
  url: string;
  /** Sealed. */
  secrets: string[];
  events: WebhookEvent[];
  createdAt: Date;
}

export function insertWebhook(db: Database, webhook: NewWebhook): Promise<WebhookRow> {
  return db
    .insertInto('webhooks')
    .values({
      webhook_id: webhook.webhookId,
      account_id: webhook.accountId,
      agent_id: webhook.agentId,
      url: webhook.url,
      secrets: asJson(webhook.secrets),
      events: webhook.events,
      last_status_change: null,
      created_at: webhook.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type WebhookChange = Partial<Pick<NewWebhook, 'agentId' | 'url' | 'secrets' | 'events'>>;

/** Undefined if there is no such webhook. */
export function updateWebhook(
  db: Database,
  accountId: string,
  webhookId: string,
  change: WebhookChange,
): Promise<WebhookRow | undefined> {
  return db
    .updateTable('webhooks')
    .set({
      // SQL does not allow an update without columns.
      webhook_id: webhookId,
      ...(change.agentId !== undefined && { agent_id: change.agentId }),
      ...(change.url !== undefined && { url: change.url }),
      ...(change.secrets !== undefined && { secrets: asJson(change.secrets) }),
      ...(change.events !== undefined && { events: change.events }),
    })
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', webhookId)
    .returningAll()
    .executeTakeFirst();
}

/** Also deletes its pending deliveries and its delivery history. */
export function deleteWebhook(db: Database, accountId: string, webhookId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // The same lock order as when deliveries finish.
    await tx
      .deleteFrom('webhook_deliveries')
      .where('webhook_id', '=', webhookId)
      .where('account_id', '=', accountId)
      .execute();
    const deleted = await tx
      .deleteFrom('webhooks')
      .where('account_id', '=', accountId)
      .where('webhook_id', '=', webhookId)
      .returning('webhook_id')
      .executeTakeFirst();
    return deleted !== undefined;
  });
}
