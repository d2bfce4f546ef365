import { described } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
  description: '`pending`: attempts follow; `delivered`: acknowledged; `dead`: no further attempts.',
});
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const delivery = {
  deliveryId: described(Uuid, 'Id of the delivery, the same for all attempts.'),
  webhookId: Nullable(Uuid, 'Id of the webhook; null for URLs given with a call or a batch.'),
  callId: Nullable(Uuid, 'Id of the call; null for events of a batch.'),
  event: Type.String({ description: 'Event that is delivered, for example `call.ended`.' }),
  url: Type.String({ description: 'URL that the event is sent to.' }),
  status: DeliveryStatus,
  created: described(DateTime, 'When the event happened.'),
  attempts: Type.Integer({ minimum: 0, description: 'Attempts so far.' }),
  lastAttempt: Nullable(DateTime, 'When the last attempt was made; null before the first one.'),
  lastFailure: Nullable(Type.String(), 'Why the last attempt failed; null when none has failed.'),
  nextAttempt: Nullable(DateTime, 'Earliest time of the next attempt; null when no attempt follows.'),
  finished: Nullable(
    DateTime,
    'When the event was acknowledged, or the delivery became dead; null while pending.',
  ),
};

export const WebhookDelivery = Closed(
  delivery,
  'WebhookDelivery',
  'The delivery of one event to one webhook or callback.',
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryDetails = Closed(
  {
    ...delivery,
    payload: Nullable(
      Type.String(),
      'Body of the request, as JSON. Null after the delivery was acknowledged, because the body is then deleted.',
    ),
  },
  'WebhookDeliveryDetails',
  'The delivery of one event, with its content.',
);
export type WebhookDeliveryDetails = Static<typeof WebhookDeliveryDetails>;
