import type { KeyHolder } from '@calls/store';
import { limited, unauthorized } from '../http/problem.ts';
import type { KeyAttempts } from './key-attempts.ts';
import type { KeyAuthenticator } from './key-authenticator.ts';

/** Whose key it is; throws 401 for one that isn't good, and 429 for an address from which too many unknown ones came. */
export type KeyCheck = (key: string, address: string) => Promise<KeyHolder>;

/** Keys that were good of late don't wait for an address's guesses. */
export function createKeyCheck(keys: KeyAuthenticator, keyAttempts: KeyAttempts): KeyCheck {
  return async (key, address) => {
    const mayBeGuess = keys.mayBeGuess(key);
    const waitMs = mayBeGuess ? keyAttempts.take(address) : 0;
    if (waitMs > 0) {
      throw limited('api_rate', 'Too many unknown API keys have come from this address.', waitMs);
    }
    let isUnknown = false;
    try {
      const holder = await keys.authenticate(key);
      isUnknown = holder === null;
      if (!holder) throw unauthorized();
      return holder;
    } finally {
      if (mayBeGuess && !isUnknown) keyAttempts.giveBack(address);
    }
  };
}
