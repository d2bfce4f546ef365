import { Voice } from '@calls/api-contract/rest/voice';
import { withoutSecrets } from '@calls/api-contract/secrets';
import type { VoiceRow } from '@calls/store/tables/voices';

/** The API's voice object. */
export function createVoiceView({ publicUrl }: { publicUrl: string }): (row: VoiceRow) => Voice {
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
    definition: withoutSecrets(Voice.Response.properties.definition, definitionOf(row)),
  });
}

/** Built-in voices have no definition. */
function definitionOf(row: VoiceRow): Voice['definition'] {
  return row.account_id === null ? {} : { [row.engine]: row.engine_settings };
}
