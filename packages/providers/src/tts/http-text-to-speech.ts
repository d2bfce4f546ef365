import type { Validator } from '@calls/api-contract/validation/validator';
import type { SpeechChunk, SynthesisOptions, TextToSpeech } from '@calls/conversation/ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { endpointUrl } from '../http/endpoint.ts';
import { HttpExchange } from '../http/exchange.ts';
import { HttpSpeechSource } from './http-speech-source.ts';
import type { TextToSpeechLimits } from './limits.ts';
import { speakSentences } from './speak-sentences.ts';
import type { SpeechReader } from './speech-source.ts';
import { SpokenSentence } from './spoken-sentence.ts';
import { parseVoiceSettings } from './voice-settings.ts';

export interface ProviderTextToSpeechOptions {
  /** The provider's address, without a path of its API. */
  baseUrl: string;
  limits: TextToSpeechLimits;
  pool: ConnectionPool;
  clock: Clock;
}

/** A sentence as it goes into a request. */
export interface SentenceRequest {
  text: string;
  /** What was spoken before it in the same synthesis; '' at its beginning. */
  previous: string;
  /** BCP 47. */
  languageHint: string | null;
}

/** A provider that answers one POST per sentence with the speech. */
export interface HttpSpeechProtocol<S extends { apiKey?: string }> {
  /** Names the adapter in errors; its key in the registry. */
  provider: string;
  settings: Validator<S>;
  request(
    settings: S & { apiKey: string },
    sentence: SentenceRequest,
  ): { path: string; headers: Readonly<Record<string, string>>; body: object };
  /** Reads one answer; what is `confidential` must not get into an error. */
  reader(settings: S, confidential: readonly string[]): SpeechReader;
  /** What the answer's content type must not match, where it isn't any other kind of audio. */
  foreign?: RegExp;
}

export function createHttpTextToSpeech<S extends { apiKey?: string }>(
  protocol: HttpSpeechProtocol<S>,
  options: ProviderTextToSpeechOptions,
): TextToSpeech {
  return {
    synthesize: (sentences, synthesis, signal) => synthesize(protocol, options, sentences, synthesis, signal),
  };
}

async function* synthesize<S extends { apiKey?: string }>(
  protocol: HttpSpeechProtocol<S>,
  options: ProviderTextToSpeechOptions,
  sentences: AsyncIterable<string>,
  { voice, languageHint }: SynthesisOptions,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  signal.throwIfAborted();
  const { provider, foreign } = protocol;
  const settings = parseVoiceSettings(provider, protocol.settings, voice.settings);
  const start = (text: string, previous: string): SpokenSentence => {
    const confidential = [settings.apiKey, text];
    const request = protocol.request(settings, { text, previous, languageHint });
    const exchange = new HttpExchange(options, {
      provider,
      url: endpointUrl({ baseUrl: options.baseUrl, apiKey: null }, request.path),
      headers: { 'content-type': 'application/json', ...request.headers },
      body: [Buffer.from(JSON.stringify(request.body))],
      confidential,
      connectTimeoutMs: options.limits.connectTimeoutMs,
      signal,
    });
    const source = new HttpSpeechSource({
      provider,
      exchange,
      reader: protocol.reader(settings, confidential),
      ...(foreign && { foreign }),
    });
    return new SpokenSentence({ ...options, provider }, text, source);
  };
  yield* speakSentences(sentences, start, signal);
}
