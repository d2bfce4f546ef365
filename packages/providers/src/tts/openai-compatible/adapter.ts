import {
  ProviderError,
  type SpeechChunk,
  type SynthesisOptions,
  type TextToSpeech,
} from '@calls/conversation';
import { toError, type Clock } from '@calls/foundation';
import type { ConnectionPool } from '../../http/connection-pool.ts';
import type { HttpEndpoint } from '../../http/endpoint.ts';
import { SentencesAhead } from './sentences-ahead.ts';
import { PROVIDER, SpokenSentence } from './spoken-sentence.ts';
import { speechVoiceSettings, type SpeechVoiceSettings } from './wire.ts';

export interface TextToSpeechLimits {
  connectTimeoutMs: number;
  /** From a sentence's request to its first audio. */
  firstAudioTimeoutMs: number;
  /** Between two pieces of a sentence that has begun. */
  gapTimeoutMs: number;
  /** Audio of one sentence; more is a fault. */
  maxSentenceMs: number;
}

export const DEFAULT_TEXT_TO_SPEECH_LIMITS: TextToSpeechLimits = {
  connectTimeoutMs: 1000,
  firstAudioTimeoutMs: 2500,
  gapTimeoutMs: 2500,
  maxSentenceMs: 120_000,
};

export interface OpenAiCompatibleTextToSpeechOptions {
  endpoint: HttpEndpoint;
  /** Where a voice's settings name no other. */
  model: string;
  limits: TextToSpeechLimits;
  pool: ConnectionPool;
  clock: Clock;
}

/**
 * One speech request per sentence, to any server that speaks OpenAI's protocol. The next sentence's request starts as soon
 * as its text is there, while the current one is still being pulled; never more than that one. Sentences without a letter
 * or a digit are passed over.
 */
export function createOpenAiCompatibleTextToSpeech(
  options: OpenAiCompatibleTextToSpeechOptions,
): TextToSpeech {
  return {
    synthesize: (sentences, synthesis, signal) => synthesize(options, sentences, synthesis, signal),
  };
}

async function* synthesize(
  options: OpenAiCompatibleTextToSpeechOptions,
  sentences: AsyncIterable<string>,
  { voice }: SynthesisOptions,
  signal: AbortSignal,
): AsyncGenerator<SpeechChunk, void, undefined> {
  signal.throwIfAborted();
  const settings = parseSettings(voice.settings);
  const ahead = new SentencesAhead(
    sentences,
    signal,
    (text) => new SpokenSentence(options, settings, text, signal),
  );
  try {
    for (let current = await ahead.next(); current !== undefined; current = await ahead.next()) {
      for await (const chunk of current.chunks()) {
        signal.throwIfAborted();
        yield chunk;
      }
    }
    signal.throwIfAborted();
  } finally {
    ahead.close();
  }
}

function parseSettings(settings: unknown): SpeechVoiceSettings {
  try {
    return speechVoiceSettings.parse(settings);
  } catch (cause) {
    throw new ProviderError(PROVIDER, 'unavailable', toError(cause).message, { cause });
  }
}
