import { existsSync } from 'node:fs';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechToText, Transcript } from '@calls/engine-ports/speech-to-text';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { BufferedTranscription } from '../buffered-transcription.ts';
import { SttProcessPool } from './stt-process-pool.ts';
import { SttProcess } from './stt-process.ts';
import { DEFAULT_MODEL_DIR, isEnglish, modelFiles, notInstalled, POCKETSPHINX } from './wire.ts';

export interface PocketsphinxOptions {
  /** Name or path of the program; default `pocketsphinx_batch`. */
  binary?: string;
  /** Folder with `en-us`, `en-us.lm.bin` and `cmudict-en-us.dict`; default: Debian's location. */
  modelDir?: string;
  /** Settings of the program, for measurements; default SEARCH_SETTINGS. */
  settings?: readonly string[];
  /** Called with the CPU time of each utterance. */
  onWork?: (cpuMs: number) => void;
  /** Number of STT processes, some 100 MB each; default 2. */
  processes?: number;
  /** Maximum number of waiting utterances; a further one is rejected. Default 100. */
  maxWaiting?: number;
  /** Time limit from `finalize` to the transcript. Default 5000. */
  timeoutMs?: number;
  /** Maximum buffered audio of one utterance; the rest is dropped. Default 60,000. */
  maxUtteranceMs?: number;
  clock: Clock;
  log: Logger;
}

export interface Pocketsphinx extends SpeechToText, AsyncDisposable {
  /** See SttProcessPool. */
  readonly latenessMs: number;
}

/**
 * pocketsphinx with its US English model, in long-lived processes that start with the first utterance. Transcribes an utterance after `finalize`, in about
 * a tenth of its duration. English only: with another language hint, or if it is not installed, `finalize` rejects as
 * `unavailable`.
 */
export function createPocketsphinx(options: PocketsphinxOptions): Pocketsphinx {
  const { binary = 'pocketsphinx_batch', modelDir = DEFAULT_MODEL_DIR, clock, log } = options;
  const pool = new SttProcessPool({
    processes: options.processes ?? 2,
    maxWaiting: options.maxWaiting ?? 100,
    timeoutMs: options.timeoutMs ?? 5000,
    start: () => start(binary, modelDir, options.settings),
    onWork: options.onWork,
    clock,
    log,
  });

  async function transcribe(
    pcm: Uint8Array,
    languageHint: string | null,
    signal: AbortSignal,
  ): Promise<Transcript> {
    if (!isEnglish(languageHint)) {
      throw new ProviderError(POCKETSPHINX, 'unavailable', 'embedded speech-to-text supports English only');
    }
    return { text: await pool.recognise(pcm, signal) };
  }

  return {
    open: ({ languageHint }, signal) => {
      // The first caller is still speaking while the models load.
      if (isEnglish(languageHint)) pool.warmUp();
      return new BufferedTranscription({
        provider: POCKETSPHINX,
        maxUtteranceMs: options.maxUtteranceMs ?? 60_000,
        log,
        signal,
        transcribe: (pcm, requestSignal) => transcribe(pcm, languageHint, requestSignal),
      });
    },
    get latenessMs() {
      return pool.latenessMs;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

async function start(
  binary: string,
  modelDir: string,
  settings: readonly string[] | undefined,
): Promise<SttProcess> {
  const missing = Object.values(modelFiles(modelDir)).filter((path) => !existsSync(path));
  if (missing.length > 0) throw notInstalled(missing.join(', '));
  return SttProcess.start(binary, modelDir, settings);
}
