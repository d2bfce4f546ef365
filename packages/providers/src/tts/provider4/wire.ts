import { compileValidator } from '@calls/api-contract/validation/validator';
import { Type, type Static } from 'typebox';
import { KEY_AND_VOICE } from '../voice-settings.ts';

/** `VoiceSelection.settings` of this engine; `apiKey` is the JSON of a service-account key. */
export const Provider4Settings = Type.Object(
  { ...KEY_AND_VOICE, speakingRate: Type.Optional(Type.Number({ minimum: 0.25, maximum: 2 })) },
  { additionalProperties: false },
);
export type Provider4Settings = Static<typeof Provider4Settings>;

export const provider4Settings = compileValidator('voice settings', Provider4Settings);

export const SAMPLE_RATE_HZ = 24_000;
const DEFAULT_LANGUAGE = 'en-US';

/** Only these voices speak while they are still working. */
export function isStreamingVoice(voiceId: string): boolean {
  return /Chirp3-HD/i.test(voiceId);
}

export function voiceSelection(voiceId: string, languageHint: string | null): object {
  // A voice's name begins with its language, and the two have to agree.
  const [language] = /^[a-z]{2,3}-[A-Za-z0-9]{2,4}(?=-)/.exec(voiceId) ?? [];
  return { name: voiceId, languageCode: language ?? languageHint ?? DEFAULT_LANGUAGE };
}

export function streamingConfig(settings: Provider4Settings, languageHint: string | null): object {
  return {
    voice: voiceSelection(settings.voiceId, languageHint),
    streamingAudioConfig: {
      audioEncoding: 'PCM',
      sampleRateHertz: SAMPLE_RATE_HZ,
      speakingRate: settings.speakingRate,
    },
  };
}

export function wholeRequest(settings: Provider4Settings, text: string, languageHint: string | null): object {
  return {
    input: { text },
    voice: voiceSelection(settings.voiceId, languageHint),
    audioConfig: {
      audioEncoding: 'LINEAR16',
      sampleRateHertz: SAMPLE_RATE_HZ,
      speakingRate: settings.speakingRate,
    },
  };
}
