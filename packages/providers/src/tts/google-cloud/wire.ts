import { settingsValidator, type VoiceSettings } from '../voice-settings.ts';
import { googleCloud } from './descriptor.ts';

export type GoogleCloudSettings = VoiceSettings<typeof googleCloud>;

export const googleCloudSettings = settingsValidator(googleCloud);

export const SAMPLE_RATE_HZ = 24_000;
const DEFAULT_LANGUAGE = 'en-US';

/** Only these voices support streaming. */
export function isStreamingVoice(voiceId: string): boolean {
  return /Chirp3-HD/i.test(voiceId);
}

function voiceSelection(voiceId: string, languageHint: string | null): object {
  // The voice name starts with the language, and the request's language has to match.
  const [language] = /^[a-z]{2,3}-[A-Za-z0-9]{2,4}(?=-)/.exec(voiceId) ?? [];
  return { name: voiceId, languageCode: language ?? languageHint ?? DEFAULT_LANGUAGE };
}

function customPronunciations({ customPronunciations: given }: GoogleCloudSettings): object | undefined {
  if (!given) return undefined;
  const pronunciations = given.map((each) => ({ phoneticEncoding: 'PHONETIC_ENCODING_IPA', ...each }));
  return { pronunciations };
}

export function streamingConfig(settings: GoogleCloudSettings, languageHint: string | null): object {
  return {
    voice: voiceSelection(settings.voiceId, languageHint),
    customPronunciations: customPronunciations(settings),
    streamingAudioConfig: {
      audioEncoding: 'PCM',
      sampleRateHertz: SAMPLE_RATE_HZ,
      speakingRate: settings.speakingRate,
    },
  };
}

export function wholeRequest(
  settings: GoogleCloudSettings,
  text: string,
  languageHint: string | null,
): object {
  return {
    input: { text, customPronunciations: customPronunciations(settings) },
    voice: voiceSelection(settings.voiceId, languageHint),
    audioConfig: {
      audioEncoding: 'LINEAR16',
      sampleRateHertz: SAMPLE_RATE_HZ,
      speakingRate: settings.speakingRate,
    },
  };
}
