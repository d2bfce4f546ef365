import type { KeyHolder } from '@calls/store/tables/api-keys';
import { limited, unauthorized } from '../problems/problem.ts';
import { isApiKey } from './api-key.ts';
import type { KeyAttempts } from './key-attempts.ts';
import type { KeyAuthenticator } from './key-authenticator.ts';

/**
 * Returns the holder of a key. Throws 401 if the key is not valid, and 429 after too many invalid keys from the
 * address.
 */
export type KeyCheck = (key: string, address: string) => Promise<KeyHolder>;

/** A valid key always passes, so clients that share an address behind a proxy cannot block each other. */
export function createKeyCheck(keys: KeyAuthenticator, keyAttempts: KeyAttempts): KeyCheck {
  return async (key, address) => {
    const holder = await keys.authenticate(key);
    if (holder) return holder;
    const waitMs = isApiKey(key) ? keyAttempts.take(address) : 0;
    if (waitMs > 0)
      throw limited('api_rate', 'Too many invalid API keys were sent from this address.', waitMs);
    throw unauthorized();
  };
}
