import type { OpusSampleRateHz } from '@calls/audio/opus';

/**
 * Opus of many streams (20 ms frames). A stream's results come in the order of what was asked for, at once or a little
 * later; after its end none comes.
 */
export interface OpusCodecs {
  openEncoder(sampleRateHz: OpusSampleRateHz, listener: EncoderListener): Promise<OpusEncoding>;
  openDecoder(sampleRateHz: OpusSampleRateHz, listener: DecoderListener): Promise<OpusDecoding>;
}

interface CodecListener {
  /** The stream is dead; nothing comes of it any more. */
  onFault: (err: Error) => void;
}

export interface EncoderListener extends CodecListener {
  /** `payload` is valid during the call only. `mediaMs` is the value given with the frame. */
  onPacket: (payload: Uint8Array, mediaMs: number) => void;
}

export interface DecoderListener extends CodecListener {
  /** The receiver's own array; null for what was passed over. */
  onAudio: (samples: Int16Array | null, durationMs: number) => void;
}

export interface OpusEncoding extends Disposable {
  readonly frameSamples: number;
  /** One frame, which has been read when this returns. Throws a RangeError where it isn't one. */
  encode(samples: Int16Array, mediaMs: number): void;
  /** See OpusEncoder. */
  expectLoss(percent: number): void;
}

/** Each call is answered by audio: malformed payloads, and what can't be recovered, by concealment of `durationMs`. */
export interface OpusDecoding extends Disposable {
  readonly sampleRateHz: number;
  decode(payload: Uint8Array, durationMs: number): void;
  /** What was lost right before `payload`, which is to be decoded next. */
  recover(payload: Uint8Array, durationMs: number): void;
  conceal(durationMs: number): void;
  /** A silence: is answered by null in its turn. */
  pass(durationMs: number): void;
}
