import { described, Pattern, ReadOnly, Secret } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Nullable, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { defineResource } from './resource.ts';

export const WEBHOOK_EVENTS = [
  'call.started',
  'call.joined',
  'call.ended',
  'call.billed',
  'call.analyzed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WebhookFailure = Closed(
  {
    timestamp: described(DateTime, 'When the attempt failed.'),
    failure: Type.String({ description: 'Why it failed.' }),
  },
  'WebhookFailure',
  'A failed attempt to deliver an event.',
);
export type WebhookFailure = Static<typeof WebhookFailure>;

const WebhookSecrets = Type.Array(Type.String({ minLength: 16, maxLength: 120 }), {
  minItems: 1,
  maxItems: 10,
  description:
    'Signing secrets; each signs every delivery. If absent, one is generated and returned in this response only.',
});

/** Where events of an account's calls are sent; with `agentId`, of the calls of one agent. */
export const Webhook = defineResource('Webhook', {
  webhookId: ReadOnly(described(Uuid, 'Id of the webhook.')),
  agentId: Type.Optional(Nullable(Uuid, 'Agent whose calls are reported; null for all calls.')),
  created: ReadOnly(described(DateTime, 'When the webhook was created.')),
  url: Pattern('^https?://[^\\s]+$', 'must be an http:// or https:// URL of at most 200 characters', {
    maxLength: 200,
    description: 'URL that receives the events in POST requests.',
  }),
  secrets: Secret(Type.Optional(WebhookSecrets)),
  events: Type.Array(Type.Enum([...WEBHOOK_EVENTS]), {
    minItems: 1,
    maxItems: WEBHOOK_EVENTS.length,
    description: 'Events to send.',
  }),
  status: ReadOnly(
    Type.Enum(['normal', 'unhealthy'], {
      description: '`unhealthy` when recent deliveries failed. Events are still sent.',
    }),
  ),
  lastStatusChange: ReadOnly(Nullable(DateTime, 'When `status` last changed; null when it never did.')),
  recentFailures: ReadOnly(Type.Array(WebhookFailure, { description: 'Latest failed attempts.' })),
});
export type Webhook = Static<typeof Webhook.Response>;

/** The response to a creation: with the secrets if the service generated them, once. */
export const CreatedWebhook = Closed(
  { ...Webhook.Response.properties, secrets: Type.Optional(WebhookSecrets) },
  'CreatedWebhook',
  'A new webhook, with its generated signing secrets.',
);
export type CreatedWebhook = Static<typeof CreatedWebhook>;
