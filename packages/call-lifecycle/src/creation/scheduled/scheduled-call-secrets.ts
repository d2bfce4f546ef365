import { ScheduledCall } from '@calls/api-contract/rest/scheduled-batch';
import { mapSecrets } from '@calls/api-contract/secrets';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { StoredScheduledCall } from '@calls/store/schema/scheduled-batch-tables';

/** Seals the secrets of a scheduled call, for storage. */
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
