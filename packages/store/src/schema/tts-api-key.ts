import type { KeyedProvider } from '@calls/api-contract/vendors/tts-vendors';

export interface TtsApiKeyTable {
  account_id: string;
  provider: KeyedProvider;
  /** The part of the key that may be shown. */
  prefix: string;
  sealed_key: string;
  set_at: Date;
}
