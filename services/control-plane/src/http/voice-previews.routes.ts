import type { VoiceSelection } from '@calls/api-contract/call-spec';
import { previewVoice, previewVoiceDefinition } from '@calls/api-contract/operations/voices.operations';
import { onlyMember } from '@calls/call-lifecycle/creation/choose-voice';
import { openProviderKey } from '@calls/call-lifecycle/creation/provider-key';
import { openVoiceSettings } from '@calls/call-lifecycle/creation/stored-secrets';
import type { UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import { isKeyedProvider } from '@calls/providers/tts/tts-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findVoice } from '@calls/store/tables/voices';
import type { Response } from 'express';
import { orNotFound } from '../problems/problem.ts';
import type { StoredPreviews } from '../voices/stored-previews.ts';
import type { VoicePreviews } from '../voices/voice-previews.ts';
import { voiceIssues } from '../voices/voice-rules.ts';
import type { ApiRouter } from './api-router.ts';

export interface VoicePreviewRoutesDeps {
  db: Database;
  secretBox: SecretBox;
  outbound: UrlGuard;
  voicePreviews: VoicePreviews;
  storedPreviews: StoredPreviews;
}

export function voicePreviewRoutes(api: ApiRouter, deps: VoicePreviewRoutesDeps): void {
  const { db, secretBox, outbound, voicePreviews, storedPreviews } = deps;

  /** Adds the account's key, if there is one. Without it, the provider's adapter reports the error. */
  const withKey = async (
    accountId: string,
    { engine, settings }: VoiceSelection,
  ): Promise<VoiceSelection> => {
    const apiKey = isKeyedProvider(engine) ? await openProviderKey(db, secretBox, accountId, engine) : null;
    return { engine, settings: { ...settings, ...(apiKey !== null && { apiKey }) } };
  };

  api
    .raw(previewVoice, async ({ accountId, params, http }) => {
      const row = orNotFound('voice', await findVoice(db, accountId, params.voice_id));
      const settings = openVoiceSettings(secretBox, row);
      const selection = await withKey(accountId, { engine: row.engine, settings });
      const voice = { selection, language: row.primary_language };
      const { wav, etag } = await storedPreviews.of(accountId, row.voice_id, voice);
      http.response.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
      sendAudio(http.response, wav);
    })
    .raw(
      previewVoiceDefinition,
      async ({ accountId, body, http }) => {
        const { provider: engine, fields: settings } = onlyMember(body.definition);
        const selection = await withKey(accountId, { engine, settings });
        const language = body.primaryLanguage ?? null;
        sendAudio(http.response, await voicePreviews.speak(accountId, { selection, language }));
      },
      { issues: (body) => voiceIssues(body, outbound) },
    );
}

/** Responds 304 if the client already has this audio. */
function sendAudio(response: Response, wav: Uint8Array): void {
  response.type('audio/wav').send(Buffer.from(wav.buffer, wav.byteOffset, wav.byteLength));
}
