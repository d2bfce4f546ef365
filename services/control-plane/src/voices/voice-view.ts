import type { Voice } from '@calls/api-contract';
import type { VoiceRow } from '@calls/store';

export function voiceView(row: VoiceRow): Voice {
  return {
    voiceId: row.voice_id,
    name: row.name,
    description: row.description,
    primaryLanguage: row.primary_language,
    languageLabel: row.language_label,
    previewUrl: null,
    ownership: row.account_id === null ? 'public' : 'private',
    billingStyle: row.billing_style,
    provider: row.provider,
    definition: {},
  };
}
