import type { OpusSampleRateHz } from '@calls/audio/opus';

/**
 * Opus codecs of many streams, in 20 ms frames. Results of a stream arrive in request order, synchronously or later,
 * and not after its end.
 */
export interface OpusCodecs {
  openEncoder(sampleRateHz: OpusSampleRateHz, listener: EncoderListener): Promise<OpusEncoding>;
  openDecoder(sampleRateHz: OpusSampleRateHz, listener: DecoderListener): Promise<OpusDecoding>;
}

interface CodecListener {
  /** The stream has failed; no more results follow. */
  onError: (err: Error) => void;
}

export interface EncoderListener extends CodecListener {
  /** `payload` is valid only during the call. `mediaMs` is the value passed with the frame. */
  onPacket: (payload: Uint8Array, mediaMs: number) => void;
}

export interface DecoderListener extends CodecListener {
  /** The receiver owns the array; null for skipped audio. */
  onAudio: (samples: Int16Array | null, durationMs: number) => void;
}

export interface OpusEncoding extends Disposable {
  readonly frameSamples: number;
  /** Reads one frame synchronously. Throws a RangeError if its length is wrong. */
  encode(samples: Int16Array, mediaMs: number): void;
  /** See OpusEncoder. */
  expectLoss(percent: number): void;
}

/** Each call yields audio. Malformed and unrecoverable payloads yield concealment of `durationMs`. */
export interface OpusDecoding extends Disposable {
  readonly sampleRateHz: number;
  decode(payload: Uint8Array, durationMs: number): void;
  /** Recovers the audio right before `payload`. Decode `payload` next. */
  recover(payload: Uint8Array, durationMs: number): void;
  conceal(durationMs: number): void;
  /** Skips silence: yields null, in request order. */
  pass(durationMs: number): void;
}
