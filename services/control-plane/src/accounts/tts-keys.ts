import type { AccountTtsKeys, PatchedSetTtsApiKeysRequest } from '@calls/api-contract/rest/tts-keys';
import { sealProviderKey } from '@calls/call-lifecycle/creation/provider-key';
import type { Issue } from '@calls/foundation/schema/validator';
import { readServiceAccount } from '@calls/providers/tts/google-cloud/service-account-key';
import { isKeyedProvider, ttsVendor, type KeyedProvider } from '@calls/providers/tts/tts-vendors';
import { prefixOfSecret, type SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { ProviderKeyChanges, ProviderKeyRow } from '@calls/store/tables/provider-keys';

/** Issues of a request body that its schema does not cover. */
export function ttsKeyIssues(body: unknown): Issue[] {
  if (typeof body !== 'object' || body === null) return [];
  const message = 'must be the JSON text of a service-account key with client_email and an RSA private_key';
  return Object.entries(body)
    .filter(
      ([key, value]) => isServiceAccount(key) && typeof value === 'string' && !readServiceAccount(value),
    )
    .map(([path]) => ({ path, message }));
}

function isServiceAccount(provider: string): boolean {
  return ttsVendor(provider)?.credential === 'service_account';
}

export function keyChanges(
  box: SecretBox,
  accountId: string,
  body: PatchedSetTtsApiKeysRequest,
): ProviderKeyChanges {
  const set: ProviderKeyRow[] = [];
  const deleted: KeyedProvider[] = [];
  for (const [provider, key] of Object.entries(body).sort()) {
    if (!isKeyedProvider(provider)) continue;
    if (key === null) deleted.push(provider);
    else {
      const sealed_key = sealProviderKey(box, accountId, provider, key);
      set.push({ provider, prefix: prefixOf(provider, key), sealed_key });
    }
  }
  return { set, deleted };
}

/** All service-account keys start with the same text, so the key's id or the account's address identifies one. */
function prefixOf(provider: KeyedProvider, key: string): string {
  const account = isServiceAccount(provider) ? readServiceAccount(key) : null;
  return prefixOfSecret(account ? (account.keyId ?? account.email) : key);
}

export function ttsKeysView(rows: readonly ProviderKeyRow[]): AccountTtsKeys {
  return Object.fromEntries(rows.map(({ provider, prefix }) => [provider, { prefix }]));
}
