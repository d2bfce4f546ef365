import { ProviderError } from '@calls/engine-ports/provider-error';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { ConnectionPool } from '../../http/connection-pool.ts';
import { authorization, endpointUrl, type HttpEndpoint } from '../../http/endpoint.ts';
import { HttpExchange } from '../../http/exchange.ts';
import { HttpSpeechSource } from '../http-speech-source.ts';
import type { TextToSpeechLimits } from '../limits.ts';
import { NO_PCM, PcmSpeechReader } from '../pcm-speech-reader.ts';
import { speakSentences } from '../speak-sentences.ts';
import { SpokenSentence } from '../spoken-sentence.ts';
import { DEFAULT_SAMPLE_RATE_HZ, speechBody, speechVoiceSettings, type SpeechVoiceSettings } from './wire.ts';

/** Adapter name for errors. */
const PROVIDER = 'openai-compatible-tts';

export interface OpenAiCompatibleTextToSpeechOptions {
  endpoint: HttpEndpoint;
  /** Default for voices without a model. */
  model: string;
  limits: TextToSpeechLimits;
  pool: ConnectionPool;
  clock: Clock;
}

/** One speech request per sentence, to any server with OpenAI's protocol. */
export function createOpenAiCompatibleTextToSpeech(
  options: OpenAiCompatibleTextToSpeechOptions,
): TextToSpeech {
  return {
    async *synthesize(sentences, { voice }, signal) {
      signal.throwIfAborted();
      const settings = parseSettings(voice.settings);
      const { endpoint, limits } = options;
      const start = (text: string): SpokenSentence => {
        const exchange = new HttpExchange(options, {
          provider: PROVIDER,
          url: endpointUrl(endpoint, '/audio/speech'),
          headers: { 'content-type': 'application/json', accept: 'audio/*', ...authorization(endpoint) },
          body: [speechBody(text, options.model, settings)],
          confidential: [endpoint.apiKey ?? '', text],
          connectTimeoutMs: limits.connectTimeoutMs,
          signal,
        });
        const reader = new PcmSpeechReader(PROVIDER, settings.sampleRateHz ?? DEFAULT_SAMPLE_RATE_HZ);
        const source = new HttpSpeechSource({ exchange, reader, foreign: NO_PCM });
        return new SpokenSentence({ ...options, provider: PROVIDER }, text, source);
      };
      yield* speakSentences(sentences, start, signal);
    },
  };
}

function parseSettings(settings: unknown): SpeechVoiceSettings {
  try {
    return speechVoiceSettings.parse(settings);
  } catch (cause) {
    throw new ProviderError(PROVIDER, 'unavailable', toError(cause).message, { cause });
  }
}
