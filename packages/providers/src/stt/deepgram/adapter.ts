import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import { endpointUrl } from '../../http/endpoint.ts';
import type { HostedSttOptions } from '../stt-vendor.ts';
import { FLUX } from './flux.ts';
import { ListenConnection } from './listen-connection.ts';
import { DEEPGRAM } from './messages.ts';
import { NOVA } from './nova.ts';
import { StreamedUtterance } from './streamed-utterance.ts';
import { WarmConnections } from './warm-connections.ts';

const FLUX_MODEL = 'flux-';
const VERSION = /\/v[12]\/*$/;

/**
 * Streaming transcription over Deepgram's WebSocket `/listen` or a compatible one. The model decides between its versions;
 * the one in the URL is replaced. An utterance has its own connection, which the next utterance with the same language and
 * key terms reuses, except with Flux.
 */
export function createDeepgramSpeechToText(
  options: Omit<HostedSttOptions, 'pool'>,
): SpeechToText & AsyncDisposable {
  const { model, limits, clock, log } = options;
  const { apiKey, baseUrl } = options.endpoint;
  const protocol = model.startsWith(FLUX_MODEL) ? FLUX : NOVA;
  const endpoint = { apiKey, baseUrl: baseUrl.replace(VERSION, `/${protocol.version}`) };
  const connect = (path: string): ListenConnection =>
    new ListenConnection({
      provider: DEEPGRAM,
      protocol,
      clock,
      url: endpointUrl(endpoint, path),
      headers: apiKey === null ? {} : { authorization: `Token ${apiKey}` },
      confidential: [apiKey ?? ''],
      connectTimeoutMs: limits.connectTimeoutMs,
      path,
    });
  const connections = new WarmConnections(clock, connect);
  const refusal = (language: string | null): ProviderError | null =>
    protocol.supports(model, language)
      ? null
      : new ProviderError(DEEPGRAM, 'unavailable', `the model ${model} does not support ${language}`);
  return {
    open: ({ languageHint, keyTerms = [] }, signal) =>
      new StreamedUtterance({
        connections,
        path: protocol.path({ model, languageHint, keyTerms }),
        refusal: refusal(languageHint),
        limits,
        clock,
        log,
        signal,
      }),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}
