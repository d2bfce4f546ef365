import type { SpeechToText } from '@calls/conversation';
import type { Clock, Logger } from '@calls/foundation';
import type { ConnectionPool } from '../../http/connection-pool.ts';
import type { HttpEndpoint } from '../../http/endpoint.ts';
import { BufferedTranscription } from '../buffered-transcription.ts';
import { PROVIDER, transcribe } from './transcribe.ts';

export interface SpeechToTextLimits {
  connectTimeoutMs: number;
  /** From `finalize` to the whole answer. */
  timeoutMs: number;
  /** Audio of one utterance that is kept; what comes after it is dropped and counted. */
  maxUtteranceMs: number;
}

export const DEFAULT_SPEECH_TO_TEXT_LIMITS: SpeechToTextLimits = {
  connectTimeoutMs: 1000,
  timeoutMs: 2000,
  maxUtteranceMs: 60_000,
};

export interface OpenAiCompatibleSpeechToTextOptions {
  endpoint: HttpEndpoint;
  model: string;
  limits: SpeechToTextLimits;
  pool: ConnectionPool;
  clock: Clock;
  log: Logger;
}

/** One transcription request per `finalize`, to any server that speaks OpenAI's protocol (faster-whisper, vLLM, hosted). */
export function createOpenAiCompatibleSpeechToText(
  options: OpenAiCompatibleSpeechToTextOptions,
): SpeechToText {
  return {
    open: ({ languageHint }, signal) =>
      new BufferedTranscription({
        provider: PROVIDER,
        maxUtteranceMs: options.limits.maxUtteranceMs,
        log: options.log,
        signal,
        transcribe: (pcm, requestSignal) => transcribe(options, pcm, languageHint, requestSignal),
      }),
  };
}
