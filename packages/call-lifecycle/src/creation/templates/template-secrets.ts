import { CallTemplate } from '@calls/api-contract/rest/call-template';
import { mapSecrets } from '@calls/api-contract/secrets';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { agentSecretsContext } from '@calls/secrets/secret-box/secret-contexts';

/** Seals the secrets, for storage. */
export function sealTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return mapSecrets(CallTemplate.Request, template, (plain) => box.seal(plain, context));
}

/** The way back from `sealTemplate`. */
export function openTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return mapSecrets(CallTemplate.Request, template, (sealed) => box.open(sealed, context));
}
