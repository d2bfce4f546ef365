import type { ColumnType, Generated } from 'kysely';
import type { WebhookEvent, WebhookFailure } from '@calls/api-contract/rest/webhook';
import type { DeliveryStatus } from '@calls/api-contract/rest/webhook-delivery';

export interface WebhookTable {
  webhook_id: string;
  account_id: string;
  /** Null: calls of all agents. */
  agent_id: string | null;
  url: string;
  /** Encrypted. */
  secrets: ColumnType<string[], string, string>;
  events: WebhookEvent[];
  status: Generated<'normal' | 'unhealthy'>;
  last_status_change: Date | null;
  /** Failed attempts since the last successful one. */
  consecutive_failures: Generated<number>;
  recent_failures: ColumnType<WebhookFailure[], string | undefined, string>;
  created_at: ColumnType<Date, Date, never>;
}

/** HTTP requests that notify webhooks and callbacks, with their results. */
export interface WebhookDeliveryTable {
  delivery_id: string;
  account_id: string;
  /**
   * The queue of the delivery: the webhook's id, or an id derived from the account and the URL's origin.
   * Receivers do not block each other.
   */
  receiver_id: string;
  /** Null: not an account webhook, but a URL given with a call or a batch. */
  webhook_id: string | null;
  call_id: string | null;
  event: string;
  /** Position of the event among those of its call. */
  step: number;
  /** The URL when the delivery was written; the webhook's URL may have changed since. */
  url: string;
  /** Encrypted: the body, and the secrets that sign it unless the webhook has its own. Null after delivery. */
  content: string | null;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  tries_left: number;
  created_at: Generated<Date>;
  due_at: Generated<Date>;
  /** An attempt that fails after this time is the last. */
  give_up_at: Date;
  /** Until then a process holds the delivery; if the process crashes, the delivery is available again. */
  held_until: Generated<Date | null>;
  /** The `traceparent` of the operation that caused it. */
  trace: string | null;
  last_attempt_at: Generated<Date | null>;
  last_failure: Generated<string | null>;
  finished_at: Generated<Date | null>;
}

/** Tables of webhooks and of what is delivered to them. */
export interface WebhookTables {
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
}
