import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import { createHttpTextToSpeech, type ProviderTextToSpeechOptions } from '../http-text-to-speech.ts';
import { NO_PCM, PcmSpeechReader } from '../pcm-speech-reader.ts';
import { provider7Settings, SAMPLE_RATE_HZ, speechBody } from './wire.ts';

export const PROVIDER7 = 'provider7';

/** PlayHT, `POST /api/v2/tts/stream`: a WAV stream. It gives no word timings. */
export function createProvider7TextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  return createHttpTextToSpeech(
    {
      provider: PROVIDER7,
      settings: provider7Settings,
      request: (settings, sentence) => ({
        path: '/api/v2/tts/stream',
        headers: { authorization: settings.apiKey, 'x-user-id': settings.userId, accept: 'audio/wav' },
        body: speechBody(settings, sentence),
      }),
      reader: () => new PcmSpeechReader(PROVIDER7, SAMPLE_RATE_HZ),
      foreign: NO_PCM,
    },
    options,
  );
}
