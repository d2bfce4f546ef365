import { compileValidator } from '@calls/api-contract/validation/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import { Type, type Static } from 'typebox';

const DeliveryContent = Type.Object({
  /** JSON, as it is sent and signed. */
  body: Type.String(),
  /** Each signs; of a webhook of the account its own do. */
  secrets: Type.Array(Type.String()),
});
export type DeliveryContent = Static<typeof DeliveryContent>;

const content = compileValidator('delivery', DeliveryContent);

/** As it is stored. */
export function sealContent(box: SecretBox, accountId: string, { body, secrets }: DeliveryContent): string {
  return box.seal(JSON.stringify({ body, secrets }), webhookSecretContext(accountId));
}

/** The way back from `sealContent`. */
export function openContent(box: SecretBox, accountId: string, sealed: string): DeliveryContent {
  return content.parse(JSON.parse(box.open(sealed, webhookSecretContext(accountId))));
}
