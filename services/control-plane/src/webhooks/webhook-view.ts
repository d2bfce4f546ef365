import type { Webhook } from '@calls/api-contract';
import { webhookSecretContext, type SecretBox } from '@calls/secret-box';
import type { WebhookRow } from '@calls/store';

export function webhookView(row: WebhookRow, secretBox: SecretBox): Webhook {
  const context = webhookSecretContext(row.account_id);
  return {
    webhookId: row.webhook_id,
    agentId: row.agent_id,
    created: row.created_at.toISOString(),
    url: row.url,
    secrets: row.secrets.map((secret) => secretBox.open(secret, context)),
    events: row.events,
    status: row.status,
    lastStatusChange: row.last_status_change?.toISOString() ?? null,
    recentFailures: row.recent_failures,
  };
}
