import type { Voice } from '@calls/api-contract';
import { openVoiceSettings } from '@calls/call-creation';
import type { SecretBox } from '@calls/secret-box';
import type { VoiceRow } from '@calls/store';
import { openOrNothing } from '@calls/call-notices';

/** A voice as those who may use it see it: its owner sees the headers that it sends. */
export function createVoiceView(parts: {
  secretBox: SecretBox;
  publicUrl: string;
}): (row: VoiceRow) => Voice {
  const { secretBox, publicUrl } = parts;
  return (row) => ({
    voiceId: row.voice_id,
    name: row.name,
    description: row.description,
    primaryLanguage: row.primary_language,
    languageLabel: row.language_label,
    previewUrl: new URL(`/api/voices/${row.voice_id}/preview`, publicUrl).href,
    ownership: row.account_id === null ? 'public' : 'private',
    billingStyle: row.billing_style,
    provider: row.provider,
    definition: definitionOf(row, (sealed, context) => openOrNothing(secretBox, sealed, context)),
  });
}

/** The voices of our own engines are nobody's to define. */
function definitionOf(row: VoiceRow, open: (sealed: string, context: string) => string): Voice['definition'] {
  return row.account_id === null ? {} : { [row.engine]: openVoiceSettings(row, open) };
}
