import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createSocketTextToSpeech, type SocketTextToSpeechOptions } from '../socket-text-to-speech.ts';
import { InworldContexts } from './contexts.ts';
import { inworld } from './descriptor.ts';
import { inworldSettings } from './wire.ts';

/**
 * Inworld, WebSocket `/tts/v1/voice:streamBidirectional`: text is sent as it is generated. Word timings if the model
 * supports them.
 */
export function createInworldTextToSpeech(options: SocketTextToSpeechOptions): TextToSpeech {
  return createSocketTextToSpeech(
    {
      provider: inworld.key,
      settings: inworldSettings,
      connection: ({ apiKey }) => ({
        path: '/tts/v1/voice:streamBidirectional',
        headers: { authorization: `Basic ${apiKey}` },
      }),
      contexts: (settings, languageHint, confidential) =>
        new InworldContexts(inworld.key, settings, languageHint, confidential),
    },
    options,
  );
}
