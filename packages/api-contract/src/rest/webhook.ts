import { Type, type Static } from 'typebox';
import { Pattern } from './annotations.ts';
import { Closed, DateTime, Nullable, Uuid } from './common.ts';
import { defineResource, ReadOnly, Secret } from './resource.ts';

export const WEBHOOK_EVENTS = ['call.started', 'call.joined', 'call.ended', 'call.billed'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WebhookFailure = Closed({ timestamp: DateTime, failure: Type.String() }, 'WebhookFailure');
export type WebhookFailure = Static<typeof WebhookFailure>;

const WebhookSecrets = Type.Array(Type.String({ minLength: 16, maxLength: 120 }), {
  minItems: 1,
  maxItems: 10,
});

/** Where an account is told what happens in its calls; with `agentId`, in the calls of one agent. */
export const Webhook = defineResource('Webhook', {
  webhookId: ReadOnly(Uuid),
  agentId: Type.Optional(Nullable(Uuid)),
  created: ReadOnly(DateTime),
  url: Pattern('^https?://[^\\s]+$', 'must be an http:// or https:// URL of at most 200 characters', {
    maxLength: 200,
  }),
  /** Each signs every delivery. Without them the service makes one and answers it once. */
  secrets: Secret(Type.Optional(WebhookSecrets)),
  events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), { minItems: 1, maxItems: 4 }),
  status: ReadOnly(Type.Enum(['normal', 'unhealthy'])),
  lastStatusChange: ReadOnly(Nullable(DateTime)),
  recentFailures: ReadOnly(Type.Array(WebhookFailure)),
});
export type Webhook = Static<typeof Webhook.Response>;

/** The answer to a creation: with the secrets where the service made them, once. */
export const CreatedWebhook = Closed(
  { ...Webhook.Response.properties, secrets: Type.Optional(WebhookSecrets) },
  'CreatedWebhook',
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;
