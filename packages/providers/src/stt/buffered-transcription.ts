import { samplesFromMs } from '@calls/audio/pcm';
import { ProviderError } from '@calls/engine-ports/provider-error';
import {
  SPEECH_RATE_HZ,
  type Transcript,
  type TranscriptionStream,
} from '@calls/engine-ports/speech-to-text';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { Logger } from '@calls/foundation/logger';
import { closeReason, warnOfDropped } from './ended-utterance.ts';
import { UtteranceBuffer } from './utterance-buffer.ts';

/** Engines reject shorter audio, so it is padded with silence. */
const MIN_AUDIO_MS = 100;

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
}

/**
 * Transcribes utterances as a whole. `finalize` after more audio aborts the running request, which rejects as
 * `superseded`. `finalize` without more audio returns the same result, unless that failed.
 */
export class BufferedTranscription implements TranscriptionStream {
  readonly partials = new BoundedQueue<Transcript>(1, 'drop-oldest');
  readonly #options: BufferedTranscriptionOptions;
  readonly #audio: UtteranceBuffer;
  #attempt: Attempt | undefined;
  #closed = false;

  constructor(options: BufferedTranscriptionOptions) {
    this.#options = options;
    this.#audio = new UtteranceBuffer(samplesFromMs(options.maxUtteranceMs, SPEECH_RATE_HZ));
    if (options.signal.aborted) this.close();
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  push(samples: Int16Array): void {
    if (!this.#closed) this.#audio.push(samples);
  }

  finalize(): Promise<Transcript> {
    if (this.#closed) return Promise.reject(this.#closeReason());
    const lengthSamples = this.#audio.lengthSamples;
    if (lengthSamples === 0) return Promise.resolve({ text: '' });
    if (this.#attempt?.lengthSamples === lengthSamples) return this.#attempt.result;
    this.#attempt?.controller.abort(
      new ProviderError(this.#options.provider, 'superseded', 'replaced by a newer request'),
    );
    const controller = new AbortController();
    const pcm = this.#audio.bytes(samplesFromMs(MIN_AUDIO_MS, SPEECH_RATE_HZ));
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
    this.partials.close();
    this.#attempt?.controller.abort(this.#closeReason());
    this.#attempt = undefined;
    this.#audio.clear();
    warnOfDropped(this.#options.provider, this.#audio, this.#options.log);
  }

  readonly #onAbort = (): void => this.close();

  #closeReason(): Error {
    return closeReason(this.#options.provider, this.#options.signal);
  }
}
