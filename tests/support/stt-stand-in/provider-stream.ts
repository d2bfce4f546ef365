import { concatSamples, samplesFromBytes } from '@calls/audio/pcm';
import type { RawData, WebSocket } from 'ws';
import type { Settings } from './behaviour.ts';
import type { SeenStream } from './listen-log.ts';

export const RATE_HZ = 16_000;
export const SAMPLES_PER_MS = RATE_HZ / 1000;
export const REQUEST_ID = '00000000-0000-4000-8000-000000000000';

export type Recognise = (samples: Int16Array) => string | Promise<string>;

export interface StreamOptions {
  socket: WebSocket;
  settings: Settings;
  seen: SeenStream;
  recognise: Recognise;
}

/** A stream of Deepgram's live API: audio in binary messages, control messages and results as JSON. */
export abstract class ProviderStream {
  protected readonly settings: Settings;
  protected readonly seen: SeenStream;
  protected readonly recognise: Recognise;
  /** Audio without final results. */
  protected segment: Int16Array = new Int16Array(0);
  protected segmentStartSamples = 0;
  /** How much of the segment has interim results. */
  protected guessedSamples = 0;
  readonly #socket: WebSocket;
  #work = Promise.resolve();
  /** Number of queued messages. */
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;
  #failed = false;

  constructor({ socket, settings, seen, recognise }: StreamOptions) {
    this.#socket = socket;
    this.settings = settings;
    this.seen = seen;
    this.recognise = recognise;
    this.#restartIdle();
    socket.on('message', (data, isBinary) => {
      this.#restartIdle();
      this.#waiting += 1;
      this.#work = this.#work.then(() => {
        this.#waiting -= 1;
        return this.#onMessage(data as Buffer, isBinary);
      });
    });
    socket.on('close', (code) => {
      clearTimeout(this.#idle);
      seen.isOpen = false;
      if (!this.#failed) seen.closeCode = code;
    });
  }

  /** The segment is longer. */
  protected abstract onAudio(): Promise<void>;
  protected abstract onControl(type: string): Promise<void>;
  /** A message that violates the protocol. */
  protected abstract readonly malformed: object;
  protected abstract readonly error: object;

  /** Whether there is no audio after the current message. Interim results would be late otherwise. */
  protected get isUpToDate(): boolean {
    return this.#waiting === 0;
  }

  protected send(message: object, delayMs = this.settings.delayMs): void {
    if (delayMs === 0) this.#socket.send(JSON.stringify(message));
    else setTimeout(() => this.#socket.send(JSON.stringify(message)), delayMs).unref();
  }

  /** The audio after `lengthSamples` begins the next segment. */
  protected endSegment(lengthSamples: number): void {
    this.segmentStartSamples += lengthSamples;
    this.segment = this.segment.slice(lengthSamples);
    this.guessedSamples = 0;
  }

  protected close(): void {
    this.#socket.close(1000);
  }

  async #onMessage(data: Buffer & RawData, isBinary: boolean): Promise<void> {
    const isMute = this.settings.behaviour === 'mute';
    if (isBinary) {
      this.#append(data);
      if (!isMute && !this.#misbehave()) await this.onAudio();
      return;
    }
    const { type } = JSON.parse(data.toString('utf8')) as { type: string };
    this.seen.controls.push(type);
    if (!isMute) await this.onControl(type);
  }

  #append(bytes: Buffer): void {
    const samples = samplesFromBytes(Buffer.from(bytes));
    this.seen.audioMs += samples.length / SAMPLES_PER_MS;
    this.seen.largestMessageBytes = Math.max(this.seen.largestMessageBytes, bytes.length);
    this.segment = concatSamples([this.segment, samples]);
  }

  /** Whether the stream has failed. */
  #misbehave(): boolean {
    const { behaviour, afterAudioMs } = this.settings;
    if (behaviour === 'garbage') this.send(this.malformed);
    if (this.seen.audioMs < afterAudioMs) return false;
    switch (behaviour) {
      case 'cut':
        this.#failed = true;
        this.#socket.terminate();
        return true;
      case 'close':
        this.#fail('NET-0000', 'The service has not transmitted a Text frame in time.');
        return true;
      case 'error':
        this.send(this.error);
        this.#fail('DATA-0000', 'The payload cannot be decoded as audio.', 1008);
        return true;
      default:
        return false;
    }
  }

  #fail(code: string, reason: string, closeCode = 1011): void {
    this.#failed = true;
    this.#socket.close(closeCode, `${code}: ${reason}`);
  }

  #restartIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(
      () => this.#fail('NET-0001', 'Neither audio nor a text message came in time.'),
      this.settings.idleLimitMs,
    );
  }
}
