import { callSecretsContext, openPaths, sealPaths, type SecretBox } from '@calls/secret-box';
import type { StoredScheduledCall } from '@calls/store';
import { SETTINGS_SECRETS } from '../secrets.ts';

/** A call that is yet to be created, as it is stored. */
export function sealScheduledCall(
  box: SecretBox,
  accountId: string,
  call: StoredScheduledCall,
): StoredScheduledCall {
  const context = callSecretsContext(accountId);
  return sealPaths(call, SETTINGS_SECRETS, (plain) => box.seal(plain, context));
}

/** The way back from `sealScheduledCall`. */
export function openScheduledCall(
  box: SecretBox,
  accountId: string,
  call: StoredScheduledCall,
): StoredScheduledCall {
  const context = callSecretsContext(accountId);
  return openPaths(call, SETTINGS_SECRETS, (sealed) => box.open(sealed, context));
}
