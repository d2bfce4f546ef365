import type { SpeechToText } from '@calls/conversation/ports/speech-to-text';
import { BufferedTranscription } from '../buffered-transcription.ts';
import { PROVIDER, transcribe, type OpenAiCompatibleSpeechToTextOptions } from './transcribe.ts';

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
