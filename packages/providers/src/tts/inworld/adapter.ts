import { inworld } from '@calls/api-contract/vendors/tts/inworld';
import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import { createSocketTextToSpeech, type SocketTextToSpeechOptions } from '../socket-text-to-speech.ts';
import { InworldContexts } from './contexts.ts';
import { inworldSettings } from './wire.ts';

/** Inworld, WebSocket `/tts/v1/voice:streamBidirectional`: text goes in as it comes; word timings where the model has them. */
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
