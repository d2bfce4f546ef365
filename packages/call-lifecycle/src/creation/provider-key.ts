import type { KeyedProvider } from '@calls/providers/tts/tts-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { providerKeyContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import { findProviderKey } from '@calls/store/tables/provider-keys';

/** Seals the account's key for a voice provider, for storage. */
export function sealProviderKey(
  box: SecretBox,
  accountId: string,
  provider: KeyedProvider,
  key: string,
): string {
  return box.seal(key, providerKeyContext(accountId, provider));
}

/** The account's key for the provider; null if it has none. */
export async function openProviderKey(
  db: Database,
  box: SecretBox,
  accountId: string,
  provider: KeyedProvider,
): Promise<string | null> {
  const sealed = await findProviderKey(db, accountId, provider);
  return sealed === undefined ? null : box.open(sealed, providerKeyContext(accountId, provider));
}
