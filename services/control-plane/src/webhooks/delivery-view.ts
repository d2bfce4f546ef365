import type { WebhookDelivery } from '@calls/api-contract/rest/webhook-delivery';
import type { WebhookDeliveryRow } from '@calls/store/tables/webhook-deliveries';

export function deliveryView(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    webhookId: row.webhook_id,
    callId: row.call_id,
    event: row.event,
    url: row.url,
    status: row.status,
    created: row.created_at.toISOString(),
    attempts: row.attempts,
    lastAttempt: row.last_attempt_at?.toISOString() ?? null,
    lastFailure: row.last_failure,
    nextAttempt: row.status === 'pending' ? row.due_at.toISOString() : null,
    finished: row.finished_at?.toISOString() ?? null,
  };
}
