import { samplesFromMs } from '@calls/audio/pcm';
import { ProviderError } from '@calls/engine-ports/provider-error';
import {
  SPEECH_RATE_HZ,
  type InterimTranscript,
  type Transcript,
  type TranscriptionStream,
} from '@calls/engine-ports/speech-to-text';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { closeReason, warnOfDropped } from '../ended-utterance.ts';
import type { SpeechToTextLimits } from '../limits.ts';
import { UtteranceBuffer } from '../utterance-buffer.ts';
import type { ListenConnection, ListenUser } from './listen-connection.ts';
import { NO_WORDS, transcriptOf, withResult, type ListenResult } from './utterance-words.ts';
import type { WarmConnections } from './warm-connections.ts';
import { DEEPGRAM } from './messages.ts';

export interface StreamedUtteranceOptions {
  connections: WarmConnections;
  /** Path of the connection, with the settings of the transcription. */
  path: string;
  /** Rejects every `finalize`; no connection is used. */
  refusal: ProviderError | null;
  limits: SpeechToTextLimits;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
}

interface Attempt {
  /** Length of the transcribed audio. */
  lengthSamples: number;
  transcript: PromiseWithResolvers<Transcript>;
  timers: readonly Timer[];
}

/**
 * An utterance that is transcribed while it is spoken. If the connection is lost or found dead, audio without final
 * results is sent again over a new one, once. Any other error, and a second loss, rejects `finalize`.
 */
export class StreamedUtterance implements TranscriptionStream, ListenUser {
  readonly interims = new BoundedQueue<InterimTranscript>(1, 'drop-oldest');
  readonly #options: StreamedUtteranceOptions;
  readonly #audio: UtteranceBuffer;
  #connection: ListenConnection | null = null;
  /** Start of the utterance in the connection's audio; negative after a replay. */
  #beginsAtSamples = 0;
  #words = NO_WORDS;
  #attempt: Attempt | undefined;
  #wasReplayed = false;
  #failure: ProviderError | null;
  #closed = false;

  constructor(options: StreamedUtteranceOptions) {
    this.#options = options;
    this.#failure = options.refusal;
    this.#audio = new UtteranceBuffer(samplesFromMs(options.limits.maxUtteranceMs, SPEECH_RATE_HZ));
    if (options.signal.aborted) this.close();
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  push(samples: Int16Array): void {
    if (this.#closed) return;
    const sentSamples = this.#audio.lengthSamples;
    this.#audio.push(samples);
    if (this.#connection) this.#connection.send(this.#audio.bytesFrom(sentSamples));
    else if (!this.#failure) this.#sendOver(this.#options.connections.take(this.#options.path));
  }

  finalize(): Promise<Transcript> {
    if (this.#closed) return Promise.reject(closeReason(DEEPGRAM, this.#options.signal));
    if (this.#failure) return Promise.reject(this.#failure);
    const lengthSamples = this.#audio.lengthSamples;
    if (lengthSamples === 0) return Promise.resolve({ text: '' });
    if (this.#attempt?.lengthSamples === lengthSamples) return this.#attempt.transcript.promise;
    this.#reject(new ProviderError(DEEPGRAM, 'superseded', 'replaced by a newer request'));
    return this.#start(lengthSamples);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const { connections, log, signal } = this.#options;
    signal.removeEventListener('abort', this.#onAbort);
    this.interims.close();
    this.#reject(closeReason(DEEPGRAM, signal));
    if (this.#connection) connections.giveBack(this.#connection);
    this.#connection = null;
    this.#audio.clear();
    warnOfDropped(DEEPGRAM, this.#audio, log);
  }

  onResult(result: ListenResult): void {
    this.#words = withResult(this.#words, {
      ...result,
      endSamples: result.endSamples - this.#beginsAtSamples,
    });
    this.interims.push({ ...transcriptOf(this.#words), coveredSamples: this.#words.coveredSamples });
  }

  onFlushed(): void {
    if (!this.#attempt) return;
    for (const timer of this.#attempt.timers) timer.cancel();
    this.#attempt.transcript.resolve(transcriptOf(this.#words));
  }

  onLost(error: ProviderError): void {
    this.#connection = null;
    if (error.kind === 'cut' && !this.#wasReplayed) this.#replay();
    else this.#fail(error);
  }

  #start(lengthSamples: number): Promise<Transcript> {
    const { clock, limits } = this.#options;
    const transcript = Promise.withResolvers<Transcript>();
    // Prevents an unhandled rejection when the result is no longer awaited.
    transcript.promise.catch(() => undefined);
    const timers = [
      clock.setTimer(limits.timeoutMs / 2, () => this.#replaceIfDead()),
      clock.setTimer(limits.timeoutMs, () =>
        this.#giveUp(new ProviderError(DEEPGRAM, 'timeout', `no transcript within ${limits.timeoutMs} ms`)),
      ),
    ];
    this.#attempt = { lengthSamples, transcript, timers };
    this.#connection?.finalize();
    return transcript.promise;
  }

  /** Sends all audio without final results, and later audio. */
  #sendOver(connection: ListenConnection): void {
    const { finalSamples } = this.#words;
    this.#connection = connection;
    this.#beginsAtSamples = connection.sentSamples - finalSamples;
    connection.use(this);
    connection.send(this.#audio.bytesFrom(finalSamples));
  }

  #replay(): void {
    this.#wasReplayed = true;
    this.#words = { ...this.#words, interim: '' };
    this.#sendOver(this.#options.connections.takeNew(this.#options.path));
    if (this.#attempt) this.#connection?.finalize();
  }

  /** A connection that sends nothing although it receives audio is dead. */
  #replaceIfDead(): void {
    if (!this.#connection?.isOpen || this.#connection.hasResult || this.#wasReplayed) return;
    this.#connection.close();
    this.#replay();
  }

  /** A later `finalize` may still get the result from a connection that is only slow. */
  #giveUp(error: ProviderError): void {
    this.#reject(error);
    if (this.#connection?.hasResult === true) return;
    this.#connection?.close();
    this.#connection = null;
    this.#fail(error);
  }

  #fail(error: ProviderError): void {
    this.#failure = error;
    this.#reject(error);
  }

  #reject(error: Error): void {
    for (const timer of this.#attempt?.timers ?? []) timer.cancel();
    this.#attempt?.transcript.reject(error);
    this.#attempt = undefined;
  }

  readonly #onAbort = (): void => this.close();
}
