import { samplesFromBytes, samplesFromMs } from '@calls/audio/pcm';
import {
  SPEECH_RATE_HZ,
  type InterimTranscript,
  type SpeechToText,
  type Transcript,
  type TranscriptionOptions,
  type TranscriptionStream,
} from '@calls/engine-ports/speech-to-text';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import { DEFAULT_SPEECH_TO_TEXT_LIMITS } from '../stt/limits.ts';
import { UtteranceBuffer } from '../stt/utterance-buffer.ts';
import { EngineOrder, type FallbackOptions, type NamedEngine } from './engine-order.ts';

/** Transcribes an utterance with the next engine if one fails. */
export function speechToTextWithFallback(options: FallbackOptions<SpeechToText>): SpeechToText {
  const order = new EngineOrder(options);
  return { open: (utterance, signal) => new TranscriptionWithFallback(order, utterance, signal) };
}

class TranscriptionWithFallback implements TranscriptionStream {
  readonly interims = new BoundedQueue<InterimTranscript>(1, 'drop-oldest');
  readonly #order: EngineOrder<SpeechToText>;
  readonly #options: TranscriptionOptions;
  readonly #signal: AbortSignal;
  readonly #engines: readonly NamedEngine<SpeechToText>[];
  /** Audio for the next engine. */
  readonly #audio: UtteranceBuffer;
  #index = 0;
  #stream: TranscriptionStream | undefined;
  #closed = false;

  constructor(order: EngineOrder<SpeechToText>, options: TranscriptionOptions, signal: AbortSignal) {
    const maxSamples = samplesFromMs(DEFAULT_SPEECH_TO_TEXT_LIMITS.maxUtteranceMs, SPEECH_RATE_HZ);
    this.#order = order;
    this.#options = options;
    this.#signal = signal;
    this.#engines = order.take();
    this.#audio = new UtteranceBuffer(maxSamples);
    this.#open();
  }

  push(samples: Int16Array): void {
    if (this.#closed) return;
    this.#audio.push(samples);
    this.#stream?.push(samples);
  }

  async finalize(): Promise<Transcript> {
    for (;;) {
      const stream = this.#stream;
      const engine = this.#engines[this.#index];
      if (!stream || !engine) throw new Error('no STT engine is available');
      try {
        const transcript = await stream.finalize();
        this.#order.worked(engine);
        return transcript;
      } catch (thrown) {
        if (this.#closed || this.#signal.aborted) throw thrown;
        // A concurrent `finalize` may have switched to the next engine.
        if (stream === this.#stream && !this.#switchToNext(engine, thrown)) throw thrown;
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#stream?.close();
    this.interims.close();
    this.#audio.clear();
  }

  #switchToNext(engine: NamedEngine<SpeechToText>, thrown: unknown): boolean {
    if (!this.#order.failed(engine, thrown, this.#engines[this.#index + 1])) return false;
    this.#index += 1;
    const failed = this.#stream;
    this.#open();
    failed?.close();
    return true;
  }

  #open(): void {
    const stream = this.#engines[this.#index]?.engine.open(this.#options, this.#signal);
    this.#stream = stream;
    if (!stream) return;
    if (this.#audio.lengthSamples > 0) stream.push(samplesFromBytes(this.#audio.bytes(0)));
    // The end of the interim transcripts is not an error: the transcript follows and reports failures.
    this.#forwardInterims(stream).catch(() => undefined);
  }

  async #forwardInterims(stream: TranscriptionStream): Promise<void> {
    for await (const interim of stream.interims) this.interims.push(interim);
    if (stream === this.#stream) this.interims.close();
  }
}
