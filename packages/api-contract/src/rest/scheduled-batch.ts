import { described, ReadOnly, Secret, WriteOnly } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, JsonObject, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Metadata } from './call-setting-values.ts';
import { CallMedium } from './medium.ts';
import { defineResource } from './resource.ts';
import { Webhook } from './webhook.ts';

export const MAX_SCHEDULED_CALLS = 10_000;

export const SCHEDULED_CALL_STATUSES = ['FUTURE', 'PENDING', 'SUCCESS', 'EXPIRED', 'ERROR'] as const;
export const ScheduledCallStatus = Type.Enum([...SCHEDULED_CALL_STATUSES], {
  description:
    '`FUTURE`: before the window; `PENDING`: waiting within it; `SUCCESS`: created; `EXPIRED`: not created in time; `ERROR`: failed.',
});
export type ScheduledCallStatus = Static<typeof ScheduledCallStatus>;

/** A call of a batch, before and after it was created. */
export const ScheduledCall = defineResource('ScheduledCall', {
  status: ReadOnly(ScheduledCallStatus),
  batchId: ReadOnly(described(Uuid, 'Id of the batch.')),
  callId: ReadOnly(Nullable(Uuid, 'Id of the created call; null unless `status` is `SUCCESS`.')),
  error: ReadOnly(Nullable(Type.String(), 'Why no call was created; null unless `status` is `ERROR`.')),
  medium: described(Type.Optional(CallMedium), 'Medium of the call; defaults to the one of the agent.'),
  metadata: Type.Optional(Nullable(Metadata, 'Metadata of the call.')),
  templateContext: Type.Optional(Nullable(JsonObject, 'Values of the template variables.')),
  experimentalSettings: Type.Optional(Nullable(JsonObject, 'Experimental settings of the call.')),
});
export type ScheduledCall = Static<typeof ScheduledCall.Response>;
export type ScheduledCallRequest = Static<typeof ScheduledCall.Request>;

const { url: WebhookUrl } = Webhook.Request.properties;

const WebhookSecret = Type.String({ minLength: 16, maxLength: 120 });
const SECRET =
  'Secret that signs the events. If absent, one is generated and returned in this response only.';

const settings = {
  batchId: ReadOnly(described(Uuid, 'Id of the batch.')),
  created: ReadOnly(described(DateTime, 'When the batch was created.')),
  windowStart: Type.Optional(
    Nullable(DateTime, 'Earliest time for a call to be created; null means at once.'),
  ),
  windowEnd: Type.Optional(
    Nullable(DateTime, 'Calls not created by then expire; null means that they never expire.'),
  ),
  throttle: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 64 }),
      'Name or id of a call throttle that the calls count in.',
    ),
  ),
  webhookUrl: Type.Optional(Nullable(WebhookUrl, 'URL that receives events of the batch in POST requests.')),
  webhookSecret: Secret(Type.Optional(Nullable(WebhookSecret, SECRET))),
  paused: Type.Optional(
    Type.Boolean({ description: 'Whether the creation of calls is paused. Defaults to false.' }),
  ),
  totalCount: ReadOnly(Type.Integer({ minimum: 0, description: 'Calls of the batch.' })),
  completedCount: ReadOnly(
    Type.Integer({ minimum: 0, description: 'Calls that were created, expired or failed.' }),
  ),
  endedAt: ReadOnly(Nullable(DateTime, 'When the last call was completed; null before that.')),
};

/** Calls of an agent that are created within a time window, as fast as the limits allow. */
export const ScheduledCallBatch = defineResource('ScheduledCallBatch', {
  ...settings,
  calls: WriteOnly(
    Type.Array(ScheduledCall.Request, {
      minItems: 1,
      maxItems: MAX_SCHEDULED_CALLS,
      description: 'Calls to create.',
    }),
  ),
});
export type ScheduledCallBatch = Static<typeof ScheduledCallBatch.Response>;

/** The response to a creation or a change: with the secret if the service generated it, once. */
export const ChangedScheduledCallBatch = Closed(
  {
    ...ScheduledCallBatch.Response.properties,
    webhookSecret: Type.Optional(
      described(WebhookSecret, 'Generated secret; absent if the request set one.'),
    ),
  },
  'ChangedScheduledCallBatch',
  'A scheduled batch, with its generated secret.',
);
export type ChangedScheduledCallBatch = Static<typeof ChangedScheduledCallBatch>;

/** What can be changed of a batch: all but its calls. */
export const PatchedScheduledCallBatch = defineResource('ScheduledCallBatch', settings).Patch;
export type PatchedScheduledCallBatch = Static<typeof PatchedScheduledCallBatch>;
