import type { WebhookTable } from './webhook.ts';

/** Tables of webhooks, provider keys, telephony and SIP. */
export interface IntegrationTables {
  webhooks: WebhookTable;
}
