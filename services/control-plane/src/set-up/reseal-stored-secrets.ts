import { reseal, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import {
  agentSecretsContext,
  callSecretsContext,
  providerKeyContext,
  sipSecretContext,
  telephonySecretsContext,
  voiceSecretsContext,
  webhookSecretContext,
} from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import {
  countRowsWith,
  replaceSealed,
  SEALED_TABLES,
  type SealedTable,
} from '@calls/store/tables/sealed-texts';

/** The encryption context of a table's secrets. `detail`: as passed by `replaceSealed`. */
const CONTEXTS: Readonly<Record<SealedTable, (accountId: string, detail: string | null) => string>> = {
  agent_revisions: agentSecretsContext,
  call_stages: callSecretsContext,
  call_tools: callSecretsContext,
  calls: callSecretsContext,
  outbox: (accountId, topic) => (topic === 'job' ? webhookSecretContext : callSecretsContext)(accountId),
  scheduled_batches: webhookSecretContext,
  scheduled_calls: callSecretsContext,
  sip_configs: sipSecretContext,
  sip_registrations: sipSecretContext,
  sip_trunks: sipSecretContext,
  telephony_configs: telephonySecretsContext,
  tts_api_keys: (accountId, provider) => providerKeyContext(accountId, provider ?? ''),
  voices: voiceSecretsContext,
  webhook_deliveries: webhookSecretContext,
  webhooks: webhookSecretContext,
};

export interface Resealed {
  /** Number of re-encrypted rows, by table. */
  resealed: Record<string, number>;
  /** Number of rows that still contain texts of an older key, by table. If empty, the older keys can be removed. */
  left: Record<string, number>;
}

/**
 * Re-encrypts with the newest key what older keys encrypted. Safe to run while the services run, repeatedly
 * and concurrently. All services must have the newest key first before this runs.
 */
export async function resealStoredSecrets(db: Database, box: SecretBox): Promise<Resealed> {
  const marks = box.olderKeyIds.map((id) => `sealed:v1:${id}:`);
  const resealed: Record<string, number> = {};
  for (const table of SEALED_TABLES) {
    const rows = await replaceSealed(db, table, marks, ({ accountId, detail, value }) =>
      accountId === null ? value : reseal(value, box, CONTEXTS[table](accountId, detail)),
    );
    if (rows > 0) resealed[table] = rows;
  }
  return { resealed, left: Object.fromEntries(await countRowsWith(db, marks)) };
}
