import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import type { Validator } from '@calls/foundation/schema/validator';
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
  /** The provider's base URL. */
  baseUrl: string;
  limits: TextToSpeechLimits;
  pool: ConnectionPool;
  clock: Clock;
}

/** A sentence to request. */
export interface SentenceRequest {
  text: string;
  /** The text spoken before it in the same synthesis; '' at the start. */
  previous: string;
  /** BCP 47. */
  languageHint: string | null;
}

/** A provider with one POST per sentence. */
export interface HttpSpeechProtocol<S extends { apiKey?: string }> {
  /** Adapter name for errors, and key in the registry. */
  provider: string;
  settings: Validator<S>;
  request(
    settings: S & { apiKey: string },
    sentence: SentenceRequest,
  ): { path: string; headers: Readonly<Record<string, string>>; body: object };
  /** Creates the reader of one response. Errors must not contain the `confidential` texts. */
  reader(settings: S, confidential: readonly string[]): SpeechReader;
  /** Rejected content types; default: other audio formats. */
  foreign?: RegExp;
}

export function createHttpTextToSpeech<S extends { apiKey?: string }>(
  protocol: HttpSpeechProtocol<S>,
  options: ProviderTextToSpeechOptions,
): TextToSpeech {
  return {
    async *synthesize(sentences, { voice, languageHint }, signal) {
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
          exchange,
          reader: protocol.reader(settings, confidential),
          ...(foreign && { foreign }),
        });
        return new SpokenSentence({ ...options, provider }, text, source);
      };
      yield* speakSentences(sentences, start, signal);
    },
  };
}
