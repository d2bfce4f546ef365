import type { TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import { createSocketTextToSpeech, type SocketTextToSpeechOptions } from '../socket-text-to-speech.ts';
import { Provider6Contexts } from './contexts.ts';
import { provider6Settings, socketPath } from './wire.ts';

export const PROVIDER6 = 'provider6';

/** Respeecher, WebSocket `/v1/…/tts/websocket`: text goes in as it comes. It gives no word timings. */
export function createProvider6TextToSpeech(options: SocketTextToSpeechOptions): TextToSpeech {
  return createSocketTextToSpeech(
    {
      provider: PROVIDER6,
      settings: provider6Settings,
      connection: (settings, languageHint) => ({ path: socketPath(settings, languageHint), headers: {} }),
      contexts: (settings, _languageHint, confidential) =>
        new Provider6Contexts(PROVIDER6, settings, confidential),
    },
    options,
  );
}
