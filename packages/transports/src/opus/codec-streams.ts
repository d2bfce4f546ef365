import type { OpusSampleRateHz } from '@calls/audio/opus';
import { toError } from '@calls/foundation/errors';
import type { OpusCodecs, OpusDecoding, OpusEncoding } from './opus-codecs.ts';
import { readRecords, RecordWriter, type BatchRecord } from '../record-batch.ts';
import { Operation, samplesOf } from './opus-records.ts';

/** The codec thread's side: processes batches of records and returns result batches. */
export class CodecStreams {
  readonly #codecs: OpusCodecs;
  readonly #encodings = new Map<number, OpusEncoding>();
  readonly #decodings = new Map<number, OpusDecoding>();
  readonly #results = new RecordWriter();

  constructor(codecs: OpusCodecs) {
    this.#codecs = codecs;
  }

  /** One batch at a time. An error ends only its stream. */
  async process(batch: ArrayBuffer): Promise<ArrayBuffer> {
    for (const record of readRecords(batch)) {
      const { stream, operation, number } = record;
      try {
        if (operation === Operation.openEncoder) await this.#openEncoder(stream, number);
        else if (operation === Operation.openDecoder) await this.#openDecoder(stream, number);
        else this.#execute(record);
      } catch (thrown) {
        this.#close(stream);
        const { message } = toError(thrown);
        this.#results.write(stream, Operation.error, 0, new TextEncoder().encode(message));
      }
    }
    return this.#results.take();
  }

  async #openEncoder(stream: number, sampleRateHz: number): Promise<void> {
    const encoding = await this.#codecs.openEncoder(sampleRateHz as OpusSampleRateHz, {
      onPacket: (payload, mediaMs) => this.#results.write(stream, Operation.packet, mediaMs, payload),
      onError: raise,
    });
    this.#encodings.set(stream, encoding);
  }

  async #openDecoder(stream: number, sampleRateHz: number): Promise<void> {
    const decoding = await this.#codecs.openDecoder(sampleRateHz as OpusSampleRateHz, {
      onAudio: (samples, durationMs) =>
        samples
          ? this.#results.write(stream, Operation.audio, durationMs, samples)
          : this.#results.write(stream, Operation.passed, durationMs),
      onError: raise,
    });
    this.#decodings.set(stream, decoding);
  }

  #execute(record: BatchRecord): void {
    const { stream, operation, number, payload } = record;
    switch (operation) {
      case Operation.encode:
        return this.#encodings.get(stream)?.encode(samplesOf(record), number);
      case Operation.expectLoss:
        return this.#encodings.get(stream)?.expectLoss(number);
      case Operation.decode:
        return this.#decodings.get(stream)?.decode(payload, number);
      case Operation.recover:
        return this.#decodings.get(stream)?.recover(payload, number);
      case Operation.conceal:
        return this.#decodings.get(stream)?.conceal(number);
      case Operation.pass:
        return this.#decodings.get(stream)?.pass(number);
      case Operation.close:
        return this.#close(stream);
      default:
        throw new Error(`unknown operation ${operation}`);
    }
  }

  #close(stream: number): void {
    this.#encodings.get(stream)?.[Symbol.dispose]();
    this.#decodings.get(stream)?.[Symbol.dispose]();
    this.#encodings.delete(stream);
    this.#decodings.delete(stream);
  }
}

function raise(err: Error): never {
  throw err;
}
