import { Type, type Static } from 'typebox';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES]);
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event that one receiver is told of: a webhook of the account, a callback of a call, the webhook of a batch. */
export const WebhookDelivery = Closed(
  {
    deliveryId: Uuid,
    /** Null: the URL was given with a call or a batch. */
    webhookId: Nullable(Uuid),
    callId: Nullable(Uuid),
    event: Type.String(),
    url: Type.String(),
    status: DeliveryStatus,
    created: DateTime,
    /** Tries that are over. */
    attempts: Type.Integer({ minimum: 0 }),
    lastAttempt: Nullable(DateTime),
    lastFailure: Nullable(Type.String()),
    /** Of what is pending; it may take its turn later than that. */
    nextAttempt: Nullable(DateTime),
    /** When it was delivered, or given up. */
    finished: Nullable(DateTime),
  },
  'WebhookDelivery',
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;
