import { Closed } from '@calls/foundation/schema/objects';
import { number, voiceId } from '@calls/providers/setting-fields';
import { createHttpTextToSpeech } from '@calls/providers/tts/http-text-to-speech';
import { PcmSpeechReader } from '@calls/providers/tts/pcm-speech-reader';
import { defineTtsVendor } from '@calls/providers/tts/tts-vendor';
import type { TtsAdapter } from '@calls/providers/tts/tts-vendors';
import { settingsValidator } from '@calls/providers/tts/voice-settings';

/** A fictitious TTS vendor. */
export const whisperTown = defineTtsVendor({
  key: 'provider99',
  name: 'Whisper Town',
  settings: Closed(
    { voiceId: voiceId('The id of the voice.'), warmth: number('Warmth, up to 5.', { maximum: 5 }) },
    'Provider99Voice',
  ),
  priceFields: ['voiceId'],
  mainFields: ['voiceId'],
  credential: 'token',
  endpoint: { variable: 'TTS_PROVIDER99_BASE_URL', url: 'https://api.whisper-town.test' },
});

/** One POST for each sentence; the response is PCM at 24 kHz. */
export const createWhisperTown: TtsAdapter = (options) =>
  createHttpTextToSpeech(
    {
      provider: whisperTown.key,
      settings: settingsValidator(whisperTown),
      request: ({ apiKey, voiceId: voice, warmth }, { text }) => ({
        path: '/speak',
        headers: { authorization: apiKey },
        body: { voice, warmth, text },
      }),
      reader: () => new PcmSpeechReader(whisperTown.key, 24_000),
    },
    options,
  );
