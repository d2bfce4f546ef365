import { GenericVoice } from '@calls/api-contract/rest/external-voice';
import { mapSecrets } from '@calls/api-contract/secrets';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { voiceSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import type { VoiceRow } from '@calls/store/tables/voices';

type Settings = VoiceRow['engine_settings'];

/** What an account defined a voice by, as it is stored. Of all voices those at endpoints of customers alone have secrets. */
export function sealVoiceSettings(box: SecretBox, accountId: string, settings: Settings): Settings {
  return mapSecrets(GenericVoice, settings, (plain) => box.seal(plain, voiceSecretsContext(accountId)));
}

/** The settings of a catalogue voice as they were given. */
export function openVoiceSettings(
  box: SecretBox,
  voice: Pick<VoiceRow, 'account_id' | 'engine_settings'>,
): Settings {
  const { account_id: accountId, engine_settings: settings } = voice;
  // Public voices have no secrets.
  if (accountId === null) return settings;
  return mapSecrets(GenericVoice, settings, (sealed) => box.open(sealed, voiceSecretsContext(accountId)));
}
