import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import { createSocketTextToSpeech, type SocketTextToSpeechOptions } from '../socket-text-to-speech.ts';
import { Provider5Contexts } from './contexts.ts';
import { provider5Settings } from './wire.ts';

export const PROVIDER5 = 'provider5';

/** Inworld, WebSocket `/tts/v1/voice:streamBidirectional`: text goes in as it comes; word timings where the model has them. */
export function createProvider5TextToSpeech(options: SocketTextToSpeechOptions): TextToSpeech {
  return createSocketTextToSpeech(
    {
      provider: PROVIDER5,
      settings: provider5Settings,
      connection: ({ apiKey }) => ({
        path: '/tts/v1/voice:streamBidirectional',
        headers: { authorization: `Basic ${apiKey}` },
      }),
      contexts: (settings, languageHint, confidential) =>
        new Provider5Contexts(PROVIDER5, settings, languageHint, confidential),
    },
    options,
  );
}
