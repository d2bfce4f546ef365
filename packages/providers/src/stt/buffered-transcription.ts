import { samplesFromMs } from '@calls/audio/pcm';
import { ProviderError } from '@calls/engine-ports/provider-error';
import {
  SPEECH_RATE_HZ,
  type InterimTranscript,
  type Transcript,
  type TranscriptionStream,
} from '@calls/engine-ports/speech-to-text';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { Logger } from '@calls/foundation/logger';
import { closeReason, warnOfDropped } from './ended-utterance.ts';
import { UtteranceBuffer } from './utterance-buffer.ts';

/** Engines reject shorter audio, so it is padded with silence. */
const MIN_AUDIO_SAMPLES = samplesFromMs(100, SPEECH_RATE_HZ);
/** Audio of the first interim transcript. Of less speech, Moonshine often recognizes wrong words. */
const FIRST_INTERIM_SAMPLES = samplesFromMs(1000, SPEECH_RATE_HZ);
/** How much more audio each further one has. */
const INTERIM_STEP_SAMPLES = samplesFromMs(400, SPEECH_RATE_HZ);

interface Attempt {
  /** Length of the transcribed audio. */
  lengthSamples: number;
  controller: AbortController;
  result: Promise<Transcript>;
}

export interface BufferedTranscriptionOptions {
  /** Adapter name for errors. */
  provider: string;
  maxUtteranceMs: number;
  log: Logger;
  signal: AbortSignal;
  /** Transcribes the whole utterance so far. Settles with the signal's reason on abort. */
  transcribe: (pcm: Uint8Array, signal: AbortSignal) => Promise<Transcript>;
  /** Absent if there are no interim transcripts. */
  interim?: InterimTranscription;
}

/** Creates interim transcripts of the utterance so far. */
export interface InterimTranscription {
  /** Whether the engine has time for an interim transcript. */
  mayStart: () => boolean;
  transcribe: (pcm: Uint8Array, signal: AbortSignal) => Promise<Transcript>;
}

/**
 * Transcribes utterances as a whole. `finalize` after more audio aborts the running request, which rejects as
 * `superseded`. `finalize` without more audio returns the same result, unless that failed. An interim transcript is a
 * transcription of the audio so far; `finalize` aborts it.
 */
export class BufferedTranscription implements TranscriptionStream {
  readonly interims = new BoundedQueue<InterimTranscript>(1, 'drop-oldest');
  readonly #options: BufferedTranscriptionOptions;
  readonly #audio: UtteranceBuffer;
  #attempt: Attempt | undefined;
  #interim: AbortController | undefined;
  /** Least length of the audio of the next one. */
  #nextInterimSamples = FIRST_INTERIM_SAMPLES;
  #closed = false;

  constructor(options: BufferedTranscriptionOptions) {
    this.#options = options;
    this.#audio = new UtteranceBuffer(samplesFromMs(options.maxUtteranceMs, SPEECH_RATE_HZ));
    if (options.signal.aborted) this.close();
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  push(samples: Int16Array): void {
    if (this.#closed) return;
    this.#audio.push(samples);
    const { interim } = this.#options;
    const isDue = !this.#interim && this.#audio.lengthSamples >= this.#nextInterimSamples;
    if (interim && isDue && interim.mayStart()) void this.#transcribeInterim(interim);
  }

  finalize(): Promise<Transcript> {
    if (this.#closed) return Promise.reject(this.#closeReason());
    const lengthSamples = this.#audio.lengthSamples;
    if (lengthSamples === 0) return Promise.resolve({ text: '' });
    if (this.#attempt?.lengthSamples === lengthSamples) return this.#attempt.result;
    const superseded = new ProviderError(this.#options.provider, 'superseded', 'replaced by a newer request');
    this.#attempt?.controller.abort(superseded);
    this.#interim?.abort(superseded);
    const controller = new AbortController();
    const pcm = this.#audio.bytes(MIN_AUDIO_SAMPLES);
    const result = this.#options.transcribe(pcm, controller.signal);
    const attempt = { lengthSamples, controller, result };
    this.#attempt = attempt;
    // Also prevents an unhandled rejection when the result is no longer awaited.
    result.catch(() => {
      if (this.#attempt === attempt) this.#attempt = undefined;
    });
    return result;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.interims.close();
    this.#attempt?.controller.abort(this.#closeReason());
    this.#attempt = undefined;
    this.#interim?.abort(this.#closeReason());
    this.#audio.clear();
    warnOfDropped(this.#options.provider, this.#audio, this.#options.log);
  }

  async #transcribeInterim({ transcribe }: InterimTranscription): Promise<void> {
    const controller = new AbortController();
    const coveredSamples = this.#audio.lengthSamples;
    this.#interim = controller;
    this.#nextInterimSamples = coveredSamples + INTERIM_STEP_SAMPLES;
    try {
      const transcript = await transcribe(this.#audio.bytes(0), controller.signal);
      if (!controller.signal.aborted) this.interims.push({ ...transcript, coveredSamples });
    } catch {
      // `finalize` reports failures.
    } finally {
      this.#interim = undefined;
    }
  }

  readonly #onAbort = (): void => this.close();

  #closeReason(): Error {
    return closeReason(this.#options.provider, this.#options.signal);
  }
}
