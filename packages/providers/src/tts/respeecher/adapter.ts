import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { createSocketTextToSpeech, type SocketTextToSpeechOptions } from '../socket-text-to-speech.ts';
import { RespeecherContexts } from './contexts.ts';
import { respeecher } from './descriptor.ts';
import { respeecherSettings, socketPath } from './wire.ts';

/** Respeecher, WebSocket `/v1/…/tts/websocket`: text is sent as it is generated. No word timings. */
export function createRespeecherTextToSpeech(options: SocketTextToSpeechOptions): TextToSpeech {
  return createSocketTextToSpeech(
    {
      provider: respeecher.key,
      settings: respeecherSettings,
      connection: (settings, languageHint) => ({
        path: socketPath(settings, languageHint),
        headers: { 'x-api-key': settings.apiKey },
      }),
      contexts: (settings, _languageHint, confidential) =>
        new RespeecherContexts(respeecher.key, settings, confidential),
    },
    options,
  );
}
