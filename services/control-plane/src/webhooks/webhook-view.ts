import type { Webhook } from '@calls/api-contract/rest/webhook';
import type { WebhookRow } from '@calls/store/tables/webhooks';

export function webhookView(row: WebhookRow): Webhook {
  return {
    webhookId: row.webhook_id,
    agentId: row.agent_id,
    created: row.created_at.toISOString(),
    url: row.url,
    events: row.events,
    status: row.status,
    lastStatusChange: row.last_status_change?.toISOString() ?? null,
    recentFailures: row.recent_failures,
  };
}
