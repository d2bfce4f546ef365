import { CallTemplate } from '@calls/api-contract/rest/call-template';
import { ScheduledCall } from '@calls/api-contract/rest/scheduled-batch';
import { mapSecrets } from '@calls/api-contract/secrets';
import { ttsVendor, type VoiceProvider } from '@calls/providers/tts/tts-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import {
  agentSecretsContext,
  callSecretsContext,
  voiceSecretsContext,
} from '@calls/secrets/secret-box/secret-contexts';
import type { StoredScheduledCall } from '@calls/store/schema/scheduled-batch-tables';
import type { VoiceRow } from '@calls/store/tables/voices';

/** Seals the secrets, for storage. */
export function sealTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return mapSecrets(CallTemplate.Request, template, (plain) => box.seal(plain, context));
}

/** Reverses `sealTemplate`. */
export function openTemplate(box: SecretBox, accountId: string, template: CallTemplate): CallTemplate {
  const context = agentSecretsContext(accountId);
  return mapSecrets(CallTemplate.Request, template, (sealed) => box.open(sealed, context));
}

/** Seals the secrets of a scheduled call, for storage. */
export function sealScheduledCall(
  box: SecretBox,
  accountId: string,
  call: StoredScheduledCall,
): StoredScheduledCall {
  const context = callSecretsContext(accountId);
  return mapSecrets(ScheduledCall.Request, call, (plain) => box.seal(plain, context));
}

/** Reverses `sealScheduledCall`. */
export function openScheduledCall(
  box: SecretBox,
  accountId: string,
  call: StoredScheduledCall,
): StoredScheduledCall {
  const context = callSecretsContext(accountId);
  return mapSecrets(ScheduledCall.Request, call, (sealed) => box.open(sealed, context));
}

type Settings = VoiceRow['engine_settings'];
type StoredVoice = Pick<VoiceRow, 'account_id' | 'engine' | 'engine_settings'>;

/** The settings of an account's voice with the secrets sealed that its vendor's descriptor marks. */
export function sealVoiceSettings(
  box: SecretBox,
  accountId: string,
  { provider, fields }: { provider: VoiceProvider; fields: Settings },
): Settings {
  return mapVoiceSecrets(provider, fields, (plain) => box.seal(plain, voiceSecretsContext(accountId)));
}

/** The settings of a stored voice as the account gave them. Public voices have no secrets. */
export function openVoiceSettings(
  box: SecretBox,
  { account_id: accountId, engine, engine_settings: settings }: StoredVoice,
): Settings {
  if (accountId === null) return settings;
  return mapVoiceSecrets(engine, settings, (sealed) => box.open(sealed, voiceSecretsContext(accountId)));
}

function mapVoiceSecrets(engine: string, settings: Settings, map: (secret: string) => string): Settings {
  const vendor = ttsVendor(engine);
  return vendor ? mapSecrets(vendor.settings, settings, map) : settings;
}
