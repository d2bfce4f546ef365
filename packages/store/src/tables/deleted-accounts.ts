import type { Database } from '../store.ts';

/** Tables with credentials and keys of an account. */
const CREDENTIALS = [
  'api_keys',
  'tts_api_keys',
  'telephony_configs',
  'sip_registrations',
  'sip_trunks',
  'sip_configs',
  'webhooks',
  'tools',
] as const;

/** Deletes the API keys of an account, and the credentials that it stored. */
export async function deleteCredentials(tx: Database, accountId: string): Promise<void> {
  for (const table of CREDENTIALS) {
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute();
  }
}
