import { mapSecrets, ScheduledCall } from '@calls/api-contract';
import { callSecretsContext, type SecretBox } from '@calls/secret-box';
import type { StoredScheduledCall } from '@calls/store';

/** A call that is yet to be created, as it is stored. */
export function sealScheduledCall(
  box: SecretBox,
  accountId: string,
  call: StoredScheduledCall,
): StoredScheduledCall {
  const context = callSecretsContext(accountId);
  return mapSecrets(ScheduledCall.Request, call, (plain) => box.seal(plain, context));
}

/** The way back from `sealScheduledCall`. */
export function openScheduledCall(
  box: SecretBox,
  accountId: string,
  call: StoredScheduledCall,
): StoredScheduledCall {
  const context = callSecretsContext(accountId);
  return mapSecrets(ScheduledCall.Request, call, (sealed) => box.open(sealed, context));
}
