import type { SipConfigTable, SipRegistrationTable } from './sip.ts';
import type { TelephonyConfigTable } from './telephony.ts';
import type { TtsApiKeyTable } from './tts-api-key.ts';
import type { WebhookDeliveryTable } from './webhook-delivery.ts';
import type { WebhookTable } from './webhook.ts';

/** Tables of webhooks, provider keys, telephony and SIP. */
export interface IntegrationTables {
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  tts_api_keys: TtsApiKeyTable;
  telephony_configs: TelephonyConfigTable;
  sip_configs: SipConfigTable;
  sip_registrations: SipRegistrationTable;
}
