import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createHttpTextToSpeech, type ProviderTextToSpeechOptions } from '../http-text-to-speech.ts';
import { NO_PCM, PcmSpeechReader } from '../pcm-speech-reader.ts';
import { lmnt } from './descriptor.ts';
import { lmntSettings, SAMPLE_RATE_HZ, speechBody } from './wire.ts';

/** LMNT, `POST /v1/ai/speech/bytes`: streamed samples. This endpoint has no word timings. */
export function createLmntTextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  return createHttpTextToSpeech(
    {
      provider: lmnt.key,
      settings: lmntSettings,
      request: (settings, sentence) => ({
        path: '/v1/ai/speech/bytes',
        headers: { 'x-api-key': settings.apiKey },
        body: speechBody(settings, sentence),
      }),
      reader: () => new PcmSpeechReader(lmnt.key, SAMPLE_RATE_HZ),
      foreign: NO_PCM,
    },
    options,
  );
}
