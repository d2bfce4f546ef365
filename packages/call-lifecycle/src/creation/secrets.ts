import { CreatedCall, hideMessages, showMessages } from '@calls/api-contract/bus/created-call';
import { messageWithoutContent } from '@calls/api-contract/bus/without-content';
import { CallToolSpec } from '@calls/api-contract/call-spec';
import { mapMarked } from '@calls/api-contract/marks';
import { StartCallRequest } from '@calls/api-contract/rest/call';
import { NewStage } from '@calls/api-contract/rest/call-records';
import type { CallSettings, StageOverrides } from '@calls/api-contract/rest/call-settings';
import { mapSecrets } from '@calls/api-contract/secrets';
import { CALLED_PARTY_MARK, CONVERSATION_TEXT_MARK } from '@calls/foundation/schema/keywords';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { CallRow } from '@calls/store/tables/calls';
import type { ToolAuth, ToolCredentials } from './tools/security.ts';

/** Settings as they are stored. Calls with zero retention store how many initial messages they have, but not their content. */
export function sealSettings(box: SecretBox, accountId: string, settings: CallSettings): CallSettings {
  const context = callSecretsContext(accountId);
  const seal = (plain: string): string => box.seal(plain, context);
  const sealed = mapSecrets(StartCallRequest, settings, seal);
  if (settings.retentionPolicy !== 'zdr') return sealed;
  const { initialMessages } = settings;
  return {
    ...mapMarked(StartCallRequest, CALLED_PARTY_MARK, sealed, seal),
    ...(initialMessages && { initialMessages: initialMessages.map(messageWithoutContent) }),
  };
}

type CallOfStage = Pick<CallRow, 'account_id' | 'retention_policy'>;

/** What a stage changes, as it is stored. Calls with zero retention also store its texts sealed. */
export function sealOverrides(box: SecretBox, call: CallOfStage, overrides: StageOverrides): StageOverrides {
  const context = callSecretsContext(call.account_id);
  const seal = (plain: string): string => box.seal(plain, context);
  const sealed = mapSecrets(NewStage, overrides, seal);
  return call.retention_policy === 'zdr' ? mapMarked(NewStage, CONVERSATION_TEXT_MARK, sealed, seal) : sealed;
}

/** Opens the texts that `sealOverrides` sealed; secrets stay sealed. */
export function openWords(box: SecretBox, call: CallOfStage, overrides: StageOverrides): StageOverrides {
  if (call.retention_policy !== 'zdr') return overrides;
  const context = callSecretsContext(call.account_id);
  return mapMarked(NewStage, CONVERSATION_TEXT_MARK, overrides, (sealed) => box.open(sealed, context));
}

/** Reverses `sealSettings` and `sealOverrides`. */
export function openSettings<T extends CallSettings | StageOverrides>(
  box: SecretBox,
  accountId: string,
  settings: T,
): T {
  const context = callSecretsContext(accountId);
  // Earlier releases stored these texts as they are.
  const open = (text: string): string => (box.isSealed(text) ? box.open(text, context) : text);
  return mapMarked(StartCallRequest, CALLED_PARTY_MARK, mapSecrets(StartCallRequest, settings, open), open);
}

/** The credentials of a tool as they are stored; null if it has none. */
export function sealToolAuth(box: SecretBox, accountId: string, auth: ToolAuth): string | null {
  const { callTokenScopes: _issued, ...given } = auth;
  const { headers, queryParams, oauthClient } = given;
  const isEmpty = Object.keys(headers).length + Object.keys(queryParams).length === 0 && !oauthClient;
  return isEmpty ? null : box.seal(JSON.stringify(given), callSecretsContext(accountId));
}

/** Reverses `sealToolAuth`. */
export function openToolAuth(box: SecretBox, accountId: string, sealed: string | null): ToolCredentials {
  if (sealed === null) return { headers: {}, queryParams: {} };
  return toolAuth.parse(JSON.parse(box.open(sealed, callSecretsContext(accountId))));
}

const toolAuth = compileValidator('tool authentication', CallToolSpec.properties.auth);

/** A message as the outbox stores it. */
export function sealMessage(box: SecretBox, message: CreatedCall): CreatedCall {
  const context = callSecretsContext(message.spec.accountId);
  const seal = (plain: string): string => box.seal(plain, context);
  return mapSecrets(CreatedCall, hideMessages(message, seal), seal);
}

/** Reverses `sealMessage`. */
export function openMessage(box: SecretBox, message: CreatedCall): CreatedCall {
  const context = callSecretsContext(message.spec.accountId);
  const open = (sealed: string): string => box.open(sealed, context);
  return mapSecrets(CreatedCall, showMessages(message, open), open);
}
