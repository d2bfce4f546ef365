import type { KeyHolder } from '@calls/store/tables/api-keys';
import { limited, unauthorized } from '../problems/problem.ts';
import { isApiKey } from './api-key.ts';
import type { KeyAttempts } from './key-attempts.ts';
import type { KeyAuthenticator } from './key-authenticator.ts';

/** Whose key it is; throws 401 for a key that is not valid, and 429 where too many of them came from the address. */
export type KeyCheck = (key: string, address: string) => Promise<KeyHolder>;

/** A valid key always passes: clients that share an address, as behind a proxy, cannot lock each other out. */
export function createKeyCheck(keys: KeyAuthenticator, keyAttempts: KeyAttempts): KeyCheck {
  return async (key, address) => {
    const holder = await keys.authenticate(key);
    if (holder) return holder;
    const waitMs = isApiKey(key) ? keyAttempts.take(address) : 0;
    if (waitMs > 0)
      throw limited('api_rate', 'Too many unknown API keys have come from this address.', waitMs);
    throw unauthorized();
  };
}
