import { Worker } from 'node:worker_threads';
import { OPUS_FRAME_MS, type OpusSampleRateHz } from '@calls/audio/opus';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { MonitoredThread } from '@calls/foundation/monitored-thread';
import type {
  DecoderListener,
  EncoderListener,
  OpusCodecs,
  OpusDecoding,
  OpusEncoding,
} from './opus-codecs.ts';
import { readRecords, RecordWriter, type BatchRecord } from '../record-batch.ts';
import { Operation, samplesOf } from './opus-records.ts';

export interface OpusThreadOptions {
  log: Logger;
  clock: Clock;
}

interface Stream {
  onRecord: (record: BatchRecord) => void;
  onError: (err: Error) => void;
}

/** Garbage of a frame is small and short-lived, so a larger young generation only wastes memory. */
const YOUNG_GENERATION_MB = 8;

export const startCodecThread = (): Worker =>
  new Worker(new URL('./codec-thread.ts', import.meta.url), {
    name: 'opus',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });

/**
 * Opus codecs of all calls of a process in one worker thread. Requests of one turn of the event loop are sent together
 * at its end. If the thread dies, all streams fail; new ones can be opened when `isReady` is true again.
 */
export class OpusThread implements OpusCodecs, AsyncDisposable {
  readonly #writer = new RecordWriter();
  readonly #streams = new Map<number, Stream>();
  #thread!: MonitoredThread;
  #nextStream = 0;
  #unanswered = 0;
  #isGathering = false;

  /** Rejects if the thread does not start. */
  static async start(
    { log, clock }: OpusThreadOptions,
    startWorker: () => Worker = startCodecThread,
  ): Promise<OpusThread> {
    const opus = new OpusThread();
    opus.#thread = await MonitoredThread.start({
      name: 'opus',
      start: startWorker,
      onMessage: (message) => opus.#onResult(message as ArrayBuffer),
      onLost: (err) => opus.#lose(err),
      log,
      clock,
    });
    return opus;
  }

  get isReady(): boolean {
    return this.#thread.isReady;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  async openEncoder(
    sampleRateHz: OpusSampleRateHz,
    { onPacket, onError }: EncoderListener,
  ): Promise<OpusEncoding> {
    const frameSamples = (sampleRateHz * OPUS_FRAME_MS) / 1000;
    const stream = this.#open(Operation.openEncoder, sampleRateHz, {
      onRecord: ({ payload, number }) => onPacket(payload, number),
      onError,
    });
    return Promise.resolve({
      frameSamples,
      encode: (samples, mediaMs) => {
        if (samples.length !== frameSamples) throw new RangeError(`a frame has ${frameSamples} samples`);
        this.#request(stream, Operation.encode, mediaMs, samples);
      },
      expectLoss: (percent) => this.#request(stream, Operation.expectLoss, percent),
      [Symbol.dispose]: () => this.#close(stream),
    });
  }

  async openDecoder(
    sampleRateHz: OpusSampleRateHz,
    { onAudio, onError }: DecoderListener,
  ): Promise<OpusDecoding> {
    const stream = this.#open(Operation.openDecoder, sampleRateHz, {
      // Copies, because a view would retain the buffer of all calls.
      onRecord: (record) =>
        onAudio(record.operation === Operation.audio ? samplesOf(record).slice() : null, record.number),
      onError,
    });
    return Promise.resolve({
      sampleRateHz,
      decode: (payload, durationMs) => this.#request(stream, Operation.decode, durationMs, payload),
      recover: (payload, durationMs) => this.#request(stream, Operation.recover, durationMs, payload),
      conceal: (durationMs) => this.#request(stream, Operation.conceal, durationMs),
      pass: (durationMs) => this.#request(stream, Operation.pass, durationMs),
      [Symbol.dispose]: () => this.#close(stream),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#forget();
    await this.#thread[Symbol.asyncDispose]();
  }

  #open(operation: Operation, sampleRateHz: number, stream: Stream): number {
    if (!this.isReady) throw new Error('the Opus thread is not running');
    const number = this.#nextStream;
    this.#nextStream = (this.#nextStream + 1) % 2 ** 32;
    this.#streams.set(number, stream);
    this.#request(number, operation, sampleRateHz);
    return number;
  }

  #close(stream: number): void {
    this.#request(stream, Operation.close, 0);
    this.#streams.delete(stream);
  }

  /** Has no effect if the stream is closed or failed. */
  #request(stream: number, operation: Operation, number: number, payload?: ArrayBufferView): void {
    if (!this.#streams.has(stream)) return;
    this.#writer.write(stream, operation, number, payload);
    if (this.#isGathering) return;
    this.#isGathering = true;
    setImmediate(this.#send);
  }

  readonly #send = (): void => {
    this.#isGathering = false;
    if (this.#writer.isEmpty) return;
    this.#unanswered += 1;
    if (this.#unanswered === 1) this.#thread.expectResponse();
    this.#thread.post(this.#writer.take());
  };

  #onResult(batch: ArrayBuffer): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#thread.responded();
    else this.#thread.expectResponse();
    for (const record of readRecords(batch)) this.#give(record);
  }

  #give(record: BatchRecord): void {
    const stream = this.#streams.get(record.stream);
    if (record.operation !== Operation.error) {
      stream?.onRecord(record);
      return;
    }
    this.#streams.delete(record.stream);
    stream?.onError(new Error(Buffer.from(record.payload).toString()));
  }

  #lose(err: Error): void {
    const lost = [...this.#streams.values()];
    this.#forget();
    for (const stream of lost) stream.onError(err);
  }

  #forget(): void {
    this.#streams.clear();
    this.#unanswered = 0;
    if (!this.#writer.isEmpty) this.#writer.take();
  }
}
