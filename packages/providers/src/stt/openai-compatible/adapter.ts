import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import { BufferedTranscription } from '../buffered-transcription.ts';
import type { HostedSttOptions } from '../stt-vendor.ts';
import { PROVIDER, transcribe } from './transcribe.ts';

/** One transcription request per `finalize`, to any server with OpenAI's protocol (faster-whisper, vLLM, hosted). */
export function createOpenAiCompatibleSpeechToText(options: HostedSttOptions): SpeechToText {
  return {
    open: (transcription, signal) =>
      new BufferedTranscription({
        provider: PROVIDER,
        maxUtteranceMs: options.limits.maxUtteranceMs,
        log: options.log,
        signal,
        transcribe: (pcm, requestSignal) => transcribe(options, pcm, transcription, requestSignal),
      }),
  };
}
