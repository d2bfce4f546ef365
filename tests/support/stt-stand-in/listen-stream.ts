import { setTimeout as after } from 'node:timers/promises';
import { concatSamples, samplesFromBytes } from '@calls/audio/pcm';
import type { RawData, WebSocket } from 'ws';
import type { Settings } from './behaviour.ts';
import type { SeenStream } from './listen-log.ts';
import { isSilent } from './tone-words.ts';

const RATE_HZ = 16_000;
const SAMPLES_PER_MS = RATE_HZ / 1000;
const PAUSE_SAMPLES = 60 * SAMPLES_PER_MS;
const REQUEST_ID = '00000000-0000-4000-8000-000000000000';

export type Recognise = (samples: Int16Array) => string | Promise<string>;

/** A stream of Deepgram's `/v1/listen`: audio in binary messages, control messages and results as JSON. */
export class ListenStream {
  readonly #socket: WebSocket;
  readonly #settings: Settings;
  readonly #seen: SeenStream;
  readonly #recognise: Recognise;
  #segment: Int16Array = new Int16Array(0);
  #segmentStartSamples = 0;
  #guessedSamples = 0;
  #work = Promise.resolve();
  /** Number of queued messages. While there are any, interim results are skipped because they would be late. */
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined;
  #failed = false;

  constructor(socket: WebSocket, settings: Settings, seen: SeenStream, recognise: Recognise) {
    this.#socket = socket;
    this.#settings = settings;
    this.#seen = seen;
    this.#recognise = recognise;
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

  async #onMessage(data: Buffer & RawData, isBinary: boolean): Promise<void> {
    if (isBinary) {
      await this.#onAudio(data);
      return;
    }
    const { type } = JSON.parse(data.toString('utf8')) as { type: string };
    this.#seen.controls.push(type);
    if (this.#settings.behaviour === 'mute') return;
    if (type === 'Finalize') await this.#onFinalize();
    if (type === 'CloseStream') await this.#onCloseStream();
  }

  async #onAudio(bytes: Buffer): Promise<void> {
    const samples = samplesFromBytes(Buffer.from(bytes));
    this.#seen.audioMs += samples.length / SAMPLES_PER_MS;
    this.#seen.largestMessageBytes = Math.max(this.#seen.largestMessageBytes, bytes.length);
    this.#segment = concatSamples([this.#segment, samples]);
    const { behaviour, afterAudioMs, interimMs, segmentMs } = this.#settings;
    if (behaviour === 'mute') return;
    if (behaviour === 'garbage') this.#socket.send('{"type":"Results","channel":"none"}');
    if (this.#seen.audioMs >= afterAudioMs && this.#misbehave()) return;
    const lengthSamples = this.#segment.length;
    if (lengthSamples >= segmentMs * SAMPLES_PER_MS && isSilent(this.#segment.subarray(-PAUSE_SAMPLES))) {
      await this.#sendFinal(false);
    } else if (this.#waiting === 0 && lengthSamples - this.#guessedSamples >= interimMs * SAMPLES_PER_MS) {
      this.#guessedSamples = lengthSamples;
      await this.#sendResult({ is_final: false });
    }
  }

  #misbehave(): boolean {
    switch (this.#settings.behaviour) {
      case 'cut':
        this.#failed = true;
        this.#socket.terminate();
        return true;
      case 'close':
        this.#fail('NET-0000', 'The service has not transmitted a Text frame in time.');
        return true;
      case 'error':
        this.#send({
          type: 'Error',
          description: 'The stand-in is configured to fail.',
          variant: 'INTERNAL',
        });
        this.#fail('DATA-0000', 'The payload cannot be decoded as audio.', 1008);
        return true;
      default:
        return false;
    }
  }

  async #onFinalize(): Promise<void> {
    const { behaviour, slowMs, negligibleMs } = this.#settings;
    if (this.#segment.length < negligibleMs * SAMPLES_PER_MS) return;
    if (behaviour === 'slow_final') await after(slowMs);
    await this.#sendFinal(true);
  }

  async #onCloseStream(): Promise<void> {
    if (this.#segment.length > 0) await this.#sendFinal(true);
    this.#send({
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: REQUEST_ID,
      sha256: '0'.repeat(64),
      created: new Date().toISOString(),
      duration: this.#seen.audioMs / 1000,
      channels: 1,
    });
    this.#socket.close(1000);
  }

  async #sendFinal(fromFinalize: boolean): Promise<void> {
    await this.#sendResult({ is_final: true, from_finalize: fromFinalize });
    this.#segmentStartSamples += this.#segment.length;
    this.#segment = new Int16Array(0);
    this.#guessedSamples = 0;
  }

  async #sendResult(fields: { is_final: boolean; from_finalize?: boolean }): Promise<void> {
    const duration = this.#segment.length / RATE_HZ;
    const transcript = await this.#recognise(this.#segment);
    this.#send({
      type: 'Results',
      channel_index: [0, 1],
      start: this.#segmentStartSamples / RATE_HZ,
      duration,
      speech_final: false,
      ...fields,
      channel: { alternatives: [{ transcript, confidence: 0.9, words: [] }] },
      metadata: {
        request_id: REQUEST_ID,
        model_uuid: REQUEST_ID,
        model_info: { name: 'general-nova-3', version: '2025-04-17.21547', arch: 'nova-3' },
      },
    });
  }

  #send(message: object): void {
    const { delayMs } = this.#settings;
    if (delayMs === 0) this.#socket.send(JSON.stringify(message));
    else setTimeout(() => this.#socket.send(JSON.stringify(message)), delayMs).unref();
  }

  #fail(code: string, reason: string, closeCode = 1011): void {
    this.#failed = true;
    this.#socket.close(closeCode, `${code}: ${reason}`);
  }

  #restartIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(
      () => this.#fail('NET-0001', 'Neither audio nor a text message came in time.'),
      this.#settings.idleLimitMs,
    );
  }
}
