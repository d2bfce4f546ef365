import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { samplesFromBytes } from '@calls/audio/pcm';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { SPEECH_RATE_HZ, type SpeechToText, type Transcript } from '@calls/engine-ports/speech-to-text';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { isEnglish } from '../../language-code.ts';
import type { ModelSpec } from '../../local-models/messages.ts';
import { ModelServer } from '../../local-models/model-server.ts';
import { BufferedTranscription, type InterimTranscription } from '../buffered-transcription.ts';

/** Name of the vendor, in errors and in the configuration's description. */
export const MOONSHINE = 'moonshine';

export interface MoonshineOptions {
  /** Folder with the model; default: the one in @moonshine-ai/moonshine-js. */
  modelDir?: string;
  /** Called with the CPU time of each utterance. */
  onWork?: (cpuMs: number) => void;
  /** Maximum number of waiting utterances; a further one is rejected. Default 100. */
  maxWaiting?: number;
  /** Time limit from `finalize` to the transcript. Default 5000. */
  timeoutMs?: number;
  /** Maximum buffered audio of one utterance; the rest is dropped. Default 60,000. */
  maxUtteranceMs?: number;
  /** Whether there are interim transcripts. Default false. */
  interim?: boolean;
  clock: Clock;
  log: Logger;
}

/** After an interim transcript, the next one waits for this many times the duration of its transcription. */
const INTERIM_REST = 4;

export interface Moonshine extends SpeechToText, AsyncDisposable {
  /** See ModelServer. */
  readonly latenessMs: number;
}

/**
 * The English model "tiny" of Moonshine, in its own process, which starts with the first utterance. Transcribes an
 * utterance after `finalize`, in about a twentieth of its duration. Interim transcripts are made while no utterance waits
 * for its transcript, in at most a fifth of the time. With another language hint, `finalize` rejects as `unavailable`.
 */
export function createMoonshine(options: MoonshineOptions): Moonshine {
  const { modelDir = bundledModelDir(), clock, log } = options;
  const server = new ModelServer({
    provider: MOONSHINE,
    dir: modelDir,
    describe: () => describeModel(modelDir),
    timeoutMs: options.timeoutMs ?? 5000,
    maxWaiting: options.maxWaiting,
    onWork: options.onWork,
    clock,
    log,
  });

  async function transcribe(pcm: Uint8Array, signal: AbortSignal): Promise<Transcript> {
    const job = { type: 'transcribe', samples: samplesFromBytes(pcm), sampleRateHz: SPEECH_RATE_HZ } as const;
    const texts: string[] = [];
    for await (const answer of server.run(job, signal)) if (answer.type === 'text') texts.push(answer.text);
    return { text: texts.filter((text) => text !== '').join(' ') };
  }

  let nextInterimMs = -Infinity;
  const interim: InterimTranscription = {
    mayStart: () => server.isIdle && clock.nowMs() >= nextInterimMs,
    async transcribe(pcm, signal) {
      const startedMs = clock.nowMs();
      try {
        return await transcribe(pcm, signal);
      } finally {
        const nowMs = clock.nowMs();
        nextInterimMs = nowMs + INTERIM_REST * (nowMs - startedMs);
      }
    },
  };

  return {
    open: ({ languageHint }, signal) => {
      const isSupported = languageHint === null || isEnglish(languageHint);
      // The first caller is still speaking while the model loads. `finalize` reports a failure.
      if (isSupported) server.load().catch(() => undefined);
      return new BufferedTranscription({
        provider: MOONSHINE,
        maxUtteranceMs: options.maxUtteranceMs ?? 60_000,
        log,
        signal,
        transcribe: (pcm, requestSignal) =>
          isSupported ? transcribe(pcm, requestSignal) : Promise.reject(englishOnly()),
        ...(options.interim === true && isSupported && { interim }),
      });
    },
    get latenessMs() {
      return server.latenessMs;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function bundledModelDir(): string {
  const manifest = findPackageJSON('@moonshine-ai/moonshine-js', import.meta.url);
  return join(manifest ?? '', '../dist/model/tiny/quantized');
}

function describeModel(dir: string): ModelSpec {
  const files = {
    encoder: join(dir, 'encoder_model.onnx'),
    decoder: join(dir, 'decoder_model_merged.onnx'),
  };
  const missing = Object.values(files).filter((path) => !existsSync(path));
  if (missing.length === 0) return { engine: 'moonshine', files };
  throw new ProviderError(MOONSHINE, 'unavailable', `${missing.join(' and ')} not found`);
}

function englishOnly(): ProviderError {
  return new ProviderError(MOONSHINE, 'unavailable', 'embedded speech-to-text supports English only');
}
