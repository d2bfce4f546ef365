import { CallTemplate, mapSecrets } from '@calls/api-contract';
import { agentSecretsContext, type SecretBox } from '@calls/secret-box';

/** As it is stored. */
export function sealTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return mapSecrets(CallTemplate.Request, template, (plain) => box.seal(plain, context));
}

/** The way back from `sealTemplate`. */
export function openTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return mapSecrets(CallTemplate.Request, template, (sealed) => box.open(sealed, context));
}
