import {
  createOpusDecoder,
  createOpusEncoder,
  type OpusDecoder,
  type OpusEncoder,
  type OpusSampleRateHz,
} from '@calls/audio/opus';
import type {
  DecoderListener,
  EncoderListener,
  OpusCodecs,
  OpusDecoding,
  OpusEncoding,
} from './opus-codecs.ts';

/** Opus in the calling thread: calls are synchronous and errors are thrown. */
export class InlineOpus implements OpusCodecs {
  async openEncoder(sampleRateHz: OpusSampleRateHz, { onPacket }: EncoderListener): Promise<OpusEncoding> {
    return new InlineEncoding(await createOpusEncoder({ sampleRateHz }), onPacket);
  }

  async openDecoder(sampleRateHz: OpusSampleRateHz, { onAudio }: DecoderListener): Promise<OpusDecoding> {
    return new InlineDecoding(await createOpusDecoder({ sampleRateHz }), onAudio);
  }
}

class InlineEncoding implements OpusEncoding {
  readonly frameSamples: number;
  readonly #encoder: OpusEncoder;
  readonly #onPacket: EncoderListener['onPacket'];

  constructor(encoder: OpusEncoder, onPacket: EncoderListener['onPacket']) {
    this.#encoder = encoder;
    this.#onPacket = onPacket;
    this.frameSamples = encoder.frameSamples;
  }

  encode(samples: Int16Array, mediaMs: number): void {
    this.#onPacket(this.#encoder.encode(samples), mediaMs);
  }

  expectLoss(percent: number): void {
    this.#encoder.expectLoss(percent);
  }

  [Symbol.dispose](): void {
    this.#encoder[Symbol.dispose]();
  }
}

class InlineDecoding implements OpusDecoding {
  readonly sampleRateHz: number;
  readonly #decoder: OpusDecoder;
  readonly #onAudio: DecoderListener['onAudio'];

  constructor(decoder: OpusDecoder, onAudio: DecoderListener['onAudio']) {
    this.#decoder = decoder;
    this.#onAudio = onAudio;
    this.sampleRateHz = decoder.sampleRateHz;
  }

  decode(payload: Uint8Array, durationMs: number): void {
    this.#give(this.#decoder.decode(payload), durationMs);
  }

  recover(payload: Uint8Array, durationMs: number): void {
    this.#give(this.#decoder.recover(payload, durationMs), durationMs);
  }

  conceal(durationMs: number): void {
    this.#give(null, durationMs);
  }

  pass(durationMs: number): void {
    this.#onAudio(null, durationMs);
  }

  [Symbol.dispose](): void {
    this.#decoder[Symbol.dispose]();
  }

  #give(samples: Int16Array | null, durationMs: number): void {
    this.#onAudio(samples ?? this.#decoder.conceal(durationMs), durationMs);
  }
}
