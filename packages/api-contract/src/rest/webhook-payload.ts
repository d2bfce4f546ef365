import { described } from '@calls/foundation/schema/annotations';
import { Closed, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Call } from './call.ts';
import { ScheduledCallBatch } from './scheduled-batch.ts';
import { WEBHOOK_EVENTS } from './webhook.ts';

export const CallEventPayload = Closed(
  {
    event: Type.Enum([...WEBHOOK_EVENTS], { description: 'What happened.' }),
    call: described(Call, 'The call at that moment.'),
  },
  'CallEventPayload',
  'Body of the requests that report events of calls.',
);
export type CallEventPayload = Static<typeof CallEventPayload>;

export const WebhookTestPayload = Closed(
  {
    event: Type.Literal('webhook.test', { description: 'What happened.' }),
    webhookId: described(Uuid, 'Id of the webhook.'),
  },
  'WebhookTestPayload',
  'Body of the request that tests a webhook.',
);
export type WebhookTestPayload = Static<typeof WebhookTestPayload>;

const { properties } = ScheduledCallBatch.Response;
/** Not read-only, because requests must not have read-only fields. */
const inRequest = Object.entries(properties).map(([name, schema]) => [
  name,
  'readOnly' in schema ? Type.With(schema, { readOnly: false }) : schema,
]);
const EndedBatch = Closed(
  Object.fromEntries(inRequest) as typeof properties,
  'EndedBatch',
  'A scheduled batch, as `GET` returns it.',
);

export const BatchEndedPayload = Closed(
  {
    event: Type.Literal('batch.ended', { description: 'What happened.' }),
    agentId: described(Uuid, 'Id of the agent.'),
    batch: described(EndedBatch, 'The batch at that moment.'),
  },
  'BatchEndedPayload',
  'Body of the request that reports the end of a scheduled batch.',
);
export type BatchEndedPayload = Static<typeof BatchEndedPayload>;
