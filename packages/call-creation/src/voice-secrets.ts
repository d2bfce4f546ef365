import {
  openPaths,
  sealPaths,
  voiceSecretsContext,
  type PathPatterns,
  type SecretBox,
} from '@calls/secret-box';
import type { VoiceRow } from '@calls/store';

type Settings = VoiceRow['engine_settings'];

/** Of voices that are endpoints of customers. */
const SECRETS: PathPatterns = ['headers.*'];

/** What an account defined a voice by, as it is stored. */
export function sealVoiceSettings(box: SecretBox, accountId: string, settings: Settings): Settings {
  return sealPaths(settings, SECRETS, (plain) => box.seal(plain, voiceSecretsContext(accountId)));
}

/** The settings of a catalogue voice as they were given. `open` opens what was sealed. */
export function openVoiceSettings(
  voice: Pick<VoiceRow, 'account_id' | 'engine_settings'>,
  open: (sealed: string, context: string) => string,
): Settings {
  const { account_id: accountId, engine_settings: settings } = voice;
  // Public voices have no secrets.
  if (accountId === null) return settings;
  return openPaths(settings, SECRETS, (sealed) => open(sealed, voiceSecretsContext(accountId)));
}
