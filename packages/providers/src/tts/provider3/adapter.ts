import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import { createHttpTextToSpeech, type ProviderTextToSpeechOptions } from '../http-text-to-speech.ts';
import { NO_PCM, PcmSpeechReader } from '../pcm-speech-reader.ts';
import { provider3Settings, SAMPLE_RATE_HZ, speechBody } from './wire.ts';

export const PROVIDER3 = 'provider3';

/** LMNT, `POST /v1/ai/speech/bytes`: samples as they are made. It gives no word timings on this way. */
export function createProvider3TextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  return createHttpTextToSpeech(
    {
      provider: PROVIDER3,
      settings: provider3Settings,
      request: (settings, sentence) => ({
        path: '/v1/ai/speech/bytes',
        headers: { 'x-api-key': settings.apiKey },
        body: speechBody(settings, sentence),
      }),
      reader: () => new PcmSpeechReader(PROVIDER3, SAMPLE_RATE_HZ),
      foreign: NO_PCM,
    },
    options,
  );
}
