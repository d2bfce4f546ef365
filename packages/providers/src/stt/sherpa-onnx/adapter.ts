import { join } from 'node:path';
import { samplesFromBytes } from '@calls/audio/pcm';
import { SPEECH_RATE_HZ, type SpeechToText, type Transcript } from '@calls/engine-ports/speech-to-text';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { ModelServer } from '../../local-models/model-server.ts';
import { BufferedTranscription } from '../buffered-transcription.ts';
import { recognizedWords } from '../recognized-words.ts';
import { describeSpeechModel, SHERPA_ONNX_STT } from './layout.ts';

/** Longest audio of one utterance that is transcribed; the rest is dropped. */
const MAX_UTTERANCE_MS = 60_000;

export interface SherpaOnnxSpeechToTextOptions {
  /** SPEECH_MODEL_DIR, which contains the model in the folder `stt`. */
  modelDir: string;
  /** Time limit from `finalize` to the transcript, including the wait for other utterances. Default 4000. */
  timeoutMs?: number;
  clock: Clock;
  log: Logger;
}

export interface SherpaOnnxSpeechToText extends SpeechToText, AsyncDisposable {
  /** Loads the model in advance. Rejects with a ProviderError that says why it cannot be loaded. */
  load(): Promise<void>;
}

/**
 * A model that the operator has downloaded, run by sherpa-onnx in its own process. Without a usable model, `finalize`
 * rejects as `unavailable` and names the folder and the expected files.
 */
export function createSherpaOnnxSpeechToText(options: SherpaOnnxSpeechToTextOptions): SherpaOnnxSpeechToText {
  const { log, clock } = options;
  const dir = join(options.modelDir, 'stt');
  const server = new ModelServer({
    provider: SHERPA_ONNX_STT,
    dir,
    describe: () => describeSpeechModel(dir),
    timeoutMs: options.timeoutMs ?? 4000,
    clock,
    log,
  });

  async function transcribe(pcm: Uint8Array, signal: AbortSignal): Promise<Transcript> {
    const job = { type: 'transcribe', samples: samplesFromBytes(pcm), sampleRateHz: SPEECH_RATE_HZ } as const;
    let text = '';
    for await (const answer of server.run(job, signal)) if (answer.type === 'text') text += answer.text;
    return { text: recognizedWords(text) };
  }

  return {
    open: (_, signal) =>
      new BufferedTranscription({
        provider: SHERPA_ONNX_STT,
        maxUtteranceMs: MAX_UTTERANCE_MS,
        log,
        signal,
        transcribe,
      }),
    load: () => server.load(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
