import type { SpeechToText } from '@calls/conversation/ports/speech-to-text';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { ConnectionPool } from '../../http/connection-pool.ts';
import type { HttpEndpoint } from '../../http/endpoint.ts';
import { BufferedTranscription } from '../buffered-transcription.ts';
import type { SpeechToTextLimits } from '../limits.ts';
import { PROVIDER, transcribe } from './transcribe.ts';

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
