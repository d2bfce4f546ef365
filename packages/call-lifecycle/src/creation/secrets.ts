import { CreatedCall, hideMessages, showMessages } from '@calls/api-contract/bus/created-call';
import { messageWithoutWords } from '@calls/api-contract/bus/without-words';
import { CallToolSpec } from '@calls/api-contract/call-spec';
import { StartCallRequest } from '@calls/api-contract/rest/call';
import { mapSecrets } from '@calls/api-contract/secrets';
import { compileValidator } from '@calls/api-contract/validation/validator';
import { CALLED } from '../notifications/shown-settings.ts';
import { openPaths, sealPaths, type PathPatterns } from '@calls/secrets/secret-box/seal-paths';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { CallSettings } from '@calls/store/schema/call';
import type { StageOverrides } from '@calls/store/schema/call-stage';
import type { CallRow } from '@calls/store/tables/calls';
import type { ToolAuth } from './tools/security.ts';

/** As they are stored: of a call whose words may reach no disk the messages are counted, not kept. */
export function sealSettings(box: SecretBox, accountId: string, settings: CallSettings): CallSettings {
  const context = callSecretsContext(accountId);
  const { initialMessages, retentionPolicy } = settings;
  const kept =
    initialMessages && retentionPolicy === 'zdr'
      ? { ...settings, initialMessages: initialMessages.map(messageWithoutWords) }
      : settings;
  const called = retentionPolicy === 'zdr' ? CALLED : [];
  const seal = (plain: string): string => box.seal(plain, context);
  return sealPaths(mapSecrets(StartCallRequest, kept, seal), called, seal);
}

type CallOfStage = Pick<CallRow, 'account_id' | 'retention_policy'>;

/** Of what a tool answered for a stage. */
const STAGE_WORDS: PathPatterns = [
  'systemPrompt',
  'timeExceededMessage',
  'inactivityMessages.*.message',
  'initialState.**',
];

/** What a stage changes of them, likewise; where no word may reach a disk, words are sealed too. */
export function sealOverrides(box: SecretBox, call: CallOfStage, overrides: StageOverrides): StageOverrides {
  const context = callSecretsContext(call.account_id);
  const words = call.retention_policy === 'zdr' ? STAGE_WORDS : [];
  const seal = (plain: string): string => box.seal(plain, context);
  return sealPaths(mapSecrets(StartCallRequest, overrides, seal), words, seal);
}

/** Their words as they were given. */
export function openWords(box: SecretBox, call: CallOfStage, overrides: StageOverrides): StageOverrides {
  if (call.retention_policy !== 'zdr') return overrides;
  const context = callSecretsContext(call.account_id);
  return openPaths(overrides, STAGE_WORDS, (sealed) => box.open(sealed, context));
}

/** As they were given. */
export function openSettings<T extends CallSettings | StageOverrides>(
  box: SecretBox,
  accountId: string,
  settings: T,
): T {
  const context = callSecretsContext(accountId);
  // Calls of earlier releases have theirs as they were given.
  const open = (text: string): string => (box.isSealed(text) ? box.open(text, context) : text);
  return openPaths(mapSecrets(StartCallRequest, settings, open), CALLED, open);
}

/** What a tool's requests authenticate with, as it is stored; null where that is nothing. */
export function sealToolAuth(box: SecretBox, accountId: string, auth: ToolAuth): string | null {
  const { headers, queryParams } = auth;
  if (Object.keys(headers).length + Object.keys(queryParams).length === 0) return null;
  return box.seal(JSON.stringify({ headers, queryParams }), callSecretsContext(accountId));
}

/** The way back from `sealToolAuth`. */
export function openToolAuth(
  box: SecretBox,
  accountId: string,
  sealed: string | null,
): Pick<ToolAuth, 'headers' | 'queryParams'> {
  if (sealed === null) return { headers: {}, queryParams: {} };
  return toolAuth.parse(JSON.parse(box.open(sealed, callSecretsContext(accountId))));
}

const toolAuth = compileValidator('tool authentication', CallToolSpec.properties.auth);

/** As the outbox keeps it. */
export function sealMessage(box: SecretBox, message: CreatedCall): CreatedCall {
  const context = callSecretsContext(message.spec.accountId);
  const seal = (plain: string): string => box.seal(plain, context);
  return mapSecrets(CreatedCall, hideMessages(message, seal), seal);
}

/** The way back from `sealMessage`. */
export function openMessage(box: SecretBox, message: CreatedCall): CreatedCall {
  const context = callSecretsContext(message.spec.accountId);
  const open = (sealed: string): string => box.open(sealed, context);
  return mapSecrets(CreatedCall, showMessages(message, open), open);
}
