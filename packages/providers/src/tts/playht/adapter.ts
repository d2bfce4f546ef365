import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createHttpTextToSpeech, type ProviderTextToSpeechOptions } from '../http-text-to-speech.ts';
import { NO_PCM, PcmSpeechReader } from '../pcm-speech-reader.ts';
import { playHt } from './descriptor.ts';
import { playHtSettings, SAMPLE_RATE_HZ, speechBody } from './wire.ts';

/** PlayHT, `POST /api/v2/tts/stream`: a WAV stream without word timings. */
export function createPlayHtTextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  return createHttpTextToSpeech(
    {
      provider: playHt.key,
      settings: playHtSettings,
      request: (settings, sentence) => ({
        path: '/api/v2/tts/stream',
        headers: { authorization: settings.apiKey, 'x-user-id': settings.userId, accept: 'audio/wav' },
        body: speechBody(settings, sentence),
      }),
      reader: () => new PcmSpeechReader(playHt.key, SAMPLE_RATE_HZ),
      foreign: NO_PCM,
    },
    options,
  );
}
