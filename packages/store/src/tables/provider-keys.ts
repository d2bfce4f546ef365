import type { VoiceProvider } from '@calls/api-contract';
import type { Database } from '../store.ts';

/** Of an account at a provider of voices. */
export interface ProviderKeyQuery {
  accountId: string;
  provider: VoiceProvider;
}

/** Accounts can't store keys of their own yet: none has any. */
export const hasProviderKey: (db: Database, of: ProviderKeyQuery) => Promise<boolean> = () =>
  Promise.resolve(false);
