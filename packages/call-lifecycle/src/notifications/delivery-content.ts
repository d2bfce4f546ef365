import { compileValidator } from '@calls/api-contract/validation/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import { Type, type Static } from 'typebox';

const DeliveryContent = Type.Object({
  /** JSON body as sent and signed. */
  body: Type.String(),
  /** Secrets that sign the body; empty for webhooks, which have their own. */
  secrets: Type.Array(Type.String()),
});
export type DeliveryContent = Static<typeof DeliveryContent>;

const content = compileValidator('delivery', DeliveryContent);

/** Seals the secrets, for storage. */
export function sealContent(box: SecretBox, accountId: string, { body, secrets }: DeliveryContent): string {
  return box.seal(JSON.stringify({ body, secrets }), webhookSecretContext(accountId));
}

/** The way back from `sealContent`. */
export function openContent(box: SecretBox, accountId: string, sealed: string): DeliveryContent {
  return content.parse(JSON.parse(box.open(sealed, webhookSecretContext(accountId))));
}
