import {
  isKeyedProvider,
  previewVoice,
  previewVoiceDefinition,
  type VoiceSelection,
} from '@calls/api-contract';
import { onlyMember, openProviderKey, openVoiceSettings, type UrlGuard } from '@calls/call-creation';
import type { SecretBox } from '@calls/secret-box';
import { findVoice, type Database } from '@calls/store';
import type { Response } from 'express';
import type { StoredPreviews } from '../voices/stored-previews.ts';
import type { VoicePreviews } from '../voices/voice-previews.ts';
import { voiceFaults } from '../voices/voice-rules.ts';
import type { ApiRouter } from './api-router.ts';
import { orNotFound } from './problem.ts';

export interface VoicePreviewRoutesParts {
  db: Database;
  secretBox: SecretBox;
  outbound: UrlGuard;
  voicePreviews: VoicePreviews;
  storedPreviews: StoredPreviews;
}

export function voicePreviewRoutes(api: ApiRouter, parts: VoicePreviewRoutesParts): void {
  const { db, secretBox, outbound, voicePreviews, storedPreviews } = parts;

  /** Without a key where the account has none: that error is the provider's adapter's to tell. */
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
      { faults: (body) => voiceFaults(body, outbound) },
    );
}

/** 304 where the client has it already. */
function sendAudio(response: Response, wav: Uint8Array): void {
  response.type('audio/wav').send(Buffer.from(wav.buffer, wav.byteOffset, wav.byteLength));
}
