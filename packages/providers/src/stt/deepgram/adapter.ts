import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import { endpointUrl } from '../../http/endpoint.ts';
import type { HostedSttOptions } from '../stt-vendor.ts';
import { listenLanguage } from './language.ts';
import { ListenConnection } from './listen-connection.ts';
import { StreamedUtterance } from './streamed-utterance.ts';
import { WarmConnections } from './warm-connections.ts';
import { DEEPGRAM, listenPath } from './wire.ts';

/**
 * Streaming transcription over Deepgram's WebSocket `/listen` or a compatible one. An utterance has its own connection,
 * which the next utterance with the same language and key terms reuses.
 */
export function createDeepgramSpeechToText(
  options: Omit<HostedSttOptions, 'pool'>,
): SpeechToText & AsyncDisposable {
  const { endpoint, model, limits, clock, log } = options;
  const { apiKey } = endpoint;
  const connect = (path: string): ListenConnection =>
    new ListenConnection({
      provider: DEEPGRAM,
      clock,
      url: endpointUrl(endpoint, path),
      headers: apiKey === null ? {} : { authorization: `Token ${apiKey}` },
      confidential: [apiKey ?? ''],
      connectTimeoutMs: limits.connectTimeoutMs,
      path,
    });
  const connections = new WarmConnections(clock, connect);
  return {
    open: ({ languageHint, keyTerms = [] }, signal) =>
      new StreamedUtterance({
        connections,
        path: listenPath(model, listenLanguage(languageHint), keyTerms),
        limits,
        clock,
        log,
        signal,
      }),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}
