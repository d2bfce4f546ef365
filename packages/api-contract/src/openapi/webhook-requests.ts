import type { TSchema } from 'typebox';
import { scheduledBatch } from '../operations/examples/agents.examples.ts';
import { call } from '../operations/examples/calls.examples.ts';
import { exampleIds } from '../operations/examples/example-values.ts';
import { BatchEndedPayload, CallEventPayload, WebhookTestPayload } from '../rest/webhook-payload.ts';
import type { ComponentSchemas, JsonSchema } from './component-schemas.ts';

interface WebhookRequest {
  readonly summary: string;
  readonly description: string;
  readonly payload: TSchema;
  readonly example: object;
}

/** The requests that report events to customers' servers, by operation id. */
const REQUESTS: Readonly<Record<string, WebhookRequest>> = {
  callEvent: {
    summary: 'Event of a call',
    description: 'Sent to webhooks, and to the `callbacks` of a call.',
    payload: CallEventPayload,
    example: { event: 'call.started', call },
  },
  webhookTest: {
    summary: 'Test of a webhook',
    description: 'Sent to a webhook on request.',
    payload: WebhookTestPayload,
    example: { event: 'webhook.test', webhookId: exampleIds.webhook },
  },
  batchEnded: {
    summary: 'End of a scheduled batch',
    description: 'Sent to the `webhookUrl` of a scheduled batch.',
    payload: BatchEndedPayload,
    example: {
      event: 'batch.ended',
      agentId: exampleIds.agent,
      batch: { ...scheduledBatch, completedCount: 1, endedAt: '2098-03-02T09:00:04.000Z' },
    },
  },
};

const header = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

const HEADERS = [
  header('X-Svc-Delivery-ID', 'Id of the delivery, the same for all attempts.', {
    type: 'string',
    format: 'uuid',
  }),
  header('X-Svc-Webhook-Timestamp', 'Time of this attempt.', { type: 'string', format: 'date-time' }),
  header(
    'X-Svc-Webhook-Signature',
    'Hex HMAC-SHA256 over raw body and timestamp; one per secret, separated by commas.',
    { type: 'string' },
  ),
];

/** The `webhooks` of the OpenAPI document. */
export function describeWebhooks(schemas: ComponentSchemas): Record<string, Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(REQUESTS).map(([operationId, { summary, description, payload, example }]) => [
      operationId,
      {
        post: {
          operationId,
          tags: ['Webhooks'],
          summary,
          description,
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemas.reference(payload), example } },
          },
          responses: { '2XX': { description: 'The event is acknowledged; the body is ignored.' } },
        },
      },
    ]),
  );
}
