import type { KeyedProvider } from '@calls/api-contract/vendors/tts-vendors';

export interface TtsApiKeyTable {
  account_id: string;
  provider: KeyedProvider;
  /** What may be shown of the key. */
  prefix: string;
  sealed_key: string;
  set_at: Date;
}
