import type { DeliveryStatus } from '@calls/api-contract/rest/webhook-delivery';
import type { Generated } from 'kysely';

/** What somebody is to be told by an HTTP request, and what became of it. */
export interface WebhookDeliveryTable {
  delivery_id: string;
  account_id: string;
  /** What is told to one receiver waits for nobody else: the id of the webhook, or one made of the URL's origin. */
  receiver_id: string;
  /** Null: not a webhook of the account, but a URL given with a call or a batch. */
  webhook_id: string | null;
  call_id: string | null;
  event: string;
  /** The place of the event among those of its call. */
  step: number;
  /** When it was written; a webhook may have another by now. */
  url: string;
  /** Sealed: the body, and what signs it where that isn't the webhook's to say. Null once it was delivered. */
  content: string | null;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  tries_left: number;
  created_at: Generated<Date>;
  due_at: Generated<Date>;
  /** A try that fails after this is the last. */
  give_up_at: Date;
  /** Somebody is at it until then, if nothing happens to them. */
  held_until: Generated<Date | null>;
  /** The `traceparent` of what caused it. */
  trace: string | null;
  last_attempt_at: Generated<Date | null>;
  last_failure: Generated<string | null>;
  finished_at: Generated<Date | null>;
}
