import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createHttpTextToSpeech, type ProviderTextToSpeechOptions } from '../http-text-to-speech.ts';
import { cartesia } from './descriptor.ts';
import { EventSpeechReader } from './speech-reader.ts';
import { API_VERSION, cartesiaSettings, speechBody } from './wire.ts';

const NO_EVENTS = /json|html/i;

/**
 * Cartesia, `POST /tts/sse`: events with audio and word timings, over the shared persistent connections. Its WebSocket
 * would need a handshake for every response.
 */
export function createCartesiaTextToSpeech(options: ProviderTextToSpeechOptions): TextToSpeech {
  return createHttpTextToSpeech(
    {
      provider: cartesia.key,
      settings: cartesiaSettings,
      request: (settings, sentence) => ({
        path: '/tts/sse',
        headers: {
          'x-api-key': settings.apiKey,
          'cartesia-version': API_VERSION,
          accept: 'text/event-stream',
        },
        body: speechBody(settings, sentence),
      }),
      reader: (_settings, confidential) => new EventSpeechReader(cartesia.key, confidential),
      foreign: NO_EVENTS,
    },
    options,
  );
}
