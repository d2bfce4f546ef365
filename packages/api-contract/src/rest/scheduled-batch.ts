import { Type, type Static } from 'typebox';
import { Metadata } from './call-settings.ts';
import { Closed, DateTime, JsonObject, Nullable, Uuid } from './common.ts';
import { CallMedium } from './medium.ts';
import { defineResource, ReadOnly, Secret, WriteOnly } from './resource.ts';
import { Webhook } from './webhook.ts';

export const MAX_SCHEDULED_CALLS = 10_000;

export const SCHEDULED_CALL_STATUSES = ['FUTURE', 'PENDING', 'SUCCESS', 'EXPIRED', 'ERROR'] as const;
export const ScheduledCallStatus = Type.Enum([...SCHEDULED_CALL_STATUSES]);
export type ScheduledCallStatus = Static<typeof ScheduledCallStatus>;

/** A call of a batch, before and after it was created. */
export const ScheduledCall = defineResource('ScheduledCall', {
  /** FUTURE before the window, PENDING until its turn; then SUCCESS, EXPIRED (the window was over) or ERROR. */
  status: ReadOnly(ScheduledCallStatus),
  batchId: ReadOnly(Uuid),
  callId: ReadOnly(Nullable(Uuid)),
  /** Why no call was created. */
  error: ReadOnly(Nullable(Type.String())),
  medium: Type.Optional(CallMedium),
  metadata: Type.Optional(Nullable(Metadata)),
  templateContext: Type.Optional(Nullable(JsonObject)),
  experimentalSettings: Type.Optional(Nullable(JsonObject)),
});
export type ScheduledCall = Static<typeof ScheduledCall.Response>;
export type ScheduledCallRequest = Static<typeof ScheduledCall.Request>;

const { url: WebhookUrl } = Webhook.Request.properties;

const WebhookSecret = Type.String({ minLength: 16, maxLength: 120 });

const settings = {
  batchId: ReadOnly(Uuid),
  created: ReadOnly(DateTime),
  windowStart: Type.Optional(Nullable(DateTime)),
  windowEnd: Type.Optional(Nullable(DateTime)),
  /** Name or id of a call throttle that the calls count in. */
  throttle: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  webhookUrl: Type.Optional(Nullable(WebhookUrl)),
  /** Signs what goes to `webhookUrl`. Without it the service makes one and answers it once. */
  webhookSecret: Secret(Type.Optional(Nullable(WebhookSecret))),
  paused: Type.Optional(Type.Boolean()),
  totalCount: ReadOnly(Type.Integer({ minimum: 0 })),
  /** Calls that were created, expired or failed. */
  completedCount: ReadOnly(Type.Integer({ minimum: 0 })),
  /** When the last call was completed. */
  endedAt: ReadOnly(Nullable(DateTime)),
};

/** Calls of an agent that are created within a time window, as fast as the limits allow. */
export const ScheduledCallBatch = defineResource('ScheduledCallBatch', {
  ...settings,
  calls: WriteOnly(Type.Array(ScheduledCall.Request, { minItems: 1, maxItems: MAX_SCHEDULED_CALLS })),
});
export type ScheduledCallBatch = Static<typeof ScheduledCallBatch.Response>;

/** The answer to a creation or a change: with the secret where the service made it, once. */
export const ChangedScheduledCallBatch = Closed(
  { ...ScheduledCallBatch.Response.properties, webhookSecret: Type.Optional(WebhookSecret) },
  'ChangedScheduledCallBatch',
);
export type ChangedScheduledCallBatch = Static<typeof ChangedScheduledCallBatch>;

/** What can be changed of a batch: all but its calls. */
export const PatchedScheduledCallBatch = defineResource('ScheduledCallBatch', settings).Patch;
export type PatchedScheduledCallBatch = Static<typeof PatchedScheduledCallBatch>;
