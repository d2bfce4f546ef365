import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import { createHttpTextToSpeech, type ProviderTextToSpeechOptions } from '../http-text-to-speech.ts';
import { EventSpeechReader } from './speech-reader.ts';
import { API_VERSION, provider2Settings, speechBody } from './wire.ts';

export const PROVIDER2 = 'provider2';

/**
 * Cartesia, `POST /tts/sse`: events with audio and word timings. Over the shared kept-alive connections rather than its
 * WebSocket, which would need a handshake for every reply.
 */
export function createProvider2TextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  return createHttpTextToSpeech(
    {
      provider: PROVIDER2,
      settings: provider2Settings,
      request: (settings, sentence) => ({
        path: '/tts/sse',
        headers: {
          'x-api-key': settings.apiKey,
          'cartesia-version': API_VERSION,
          accept: 'text/event-stream',
        },
        body: speechBody(settings, sentence),
      }),
      reader: (_settings, confidential) => new EventSpeechReader(PROVIDER2, confidential),
    },
    options,
  );
}
