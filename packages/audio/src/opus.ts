import {
  Application,
  createDecoder,
  createEncoder,
  isOpusError,
  loadLibopus,
  Signal,
  type OpusDecoderHandle,
  type OpusEncoderHandle,
  type SampleRate,
} from 'libopus-wasm';

export type OpusSampleRateHz = SampleRate;

/** Frame duration: one frame per packet. */
export const OPUS_FRAME_MS = 20;
/** Concealment and recovery lengths are multiples of this. */
const SHORTEST_FRAME_MS = 2.5;

export interface OpusEncoderOptions {
  /** Default 24,000. */
  sampleRateHz?: OpusSampleRateHz;
  /** See `expectLoss`. Default 0. */
  expectedLossPercent?: number;
}

/** Compiles the library once per process; otherwise the first codec does. All codecs share its memory. */
export async function loadOpus(): Promise<void> {
  await loadLibopus();
}

export async function createOpusEncoder(options: OpusEncoderOptions = {}): Promise<OpusEncoder> {
  const { sampleRateHz = 24_000 } = options;
  const handle = await createEncoder({
    sampleRate: sampleRateHz,
    channels: 1,
    application: Application.Voip,
    signal: signalFor(options.expectedLossPercent ?? 0),
    bitrate: 40_000,
    // CELT at 1 has the fidelity of SILK at 10.
    complexity: 1,
    fec: true,
    packetLossPercent: options.expectedLossPercent ?? 0,
    dtx: false,
    frameSize: (sampleRateHz * OPUS_FRAME_MS) / 1000,
  });
  return new OpusEncoder(handle);
}

export async function createOpusDecoder(
  options: { sampleRateHz?: OpusSampleRateHz } = {},
): Promise<OpusDecoder> {
  return new OpusDecoder(await createDecoder({ sampleRate: options.sampleRateHz ?? 16_000, channels: 1 }));
}

/** Encodes mono speech to Opus packets of 20 ms, including silence (no discontinuous transmission). */
export class OpusEncoder implements Disposable {
  readonly sampleRateHz: number;
  readonly frameSamples: number;
  readonly #handle: OpusEncoderHandle;

  constructor(handle: OpusEncoderHandle) {
    this.#handle = handle;
    this.sampleRateHz = handle.sampleRate;
    this.frameSamples = handle.frameSize;
  }

  /** Returns a new array. Throws a RangeError unless `samples` is one frame. */
  encode(samples: Int16Array): Uint8Array {
    return this.#handle.encode(samples);
  }

  /**
   * From 1 on, each packet also carries the previous one at low quality (RFC 6716, 2.1.7), which costs CPU time
   * and quality. Without loss, packets are of the CELT mode, which takes less CPU time but cannot carry it.
   */
  expectLoss(percent: number): void {
    this.#handle.setPacketLossPercent(percent);
    this.#handle.setSignal(signalFor(percent));
  }

  /** Releases the state; the codec must not be used afterwards. Idempotent. */
  [Symbol.dispose](): void {
    this.#handle.free();
  }
}

/**
 * Decodes the Opus packets of one stream to mono at the decoder's rate (any frame length, several frames,
 * stereo). The caller owns every array. Packets are untrusted: one that cannot be decoded returns null and
 * changes nothing.
 */
export class OpusDecoder implements Disposable {
  readonly sampleRateHz: number;
  readonly #handle: OpusDecoderHandle;

  constructor(handle: OpusDecoderHandle) {
    this.#handle = handle;
    this.sampleRateHz = handle.sampleRate;
  }

  decode(payload: Uint8Array): Int16Array | null {
    if (payload.length === 0) return null;
    return unlessMalformed(() => this.#handle.decode(payload));
  }

  /**
   * Recovers `durationMs` (at most 120) of lost audio right before `payload` from the redundancy in it, as far
   * as available. Call it before decoding `payload`.
   */
  recover(payload: Uint8Array, durationMs: number): Int16Array | null {
    if (payload.length === 0) return null;
    return unlessMalformed(() => {
      const frameSize = this.#wholeFrames(durationMs);
      // The excess of a rounded-up duration is at the beginning: the end meets `payload`.
      const recovered = this.#handle.decode(payload, { decodeFec: true, frameSize });
      return recovered.subarray(recovered.length - this.#samples(durationMs));
    });
  }

  /** Conceals `durationMs` (at most 120) of lost audio. */
  conceal(durationMs: number): Int16Array {
    return this.#handle
      .decodePacketLoss(this.#wholeFrames(durationMs))
      .subarray(0, this.#samples(durationMs));
  }

  /** Releases the state; the codec must not be used afterwards. Idempotent. */
  [Symbol.dispose](): void {
    this.#handle.free();
  }

  #samples(durationMs: number): number {
    return Math.round((durationMs * this.sampleRateHz) / 1000);
  }

  #wholeFrames(durationMs: number): number {
    return this.#samples(Math.ceil(durationMs / SHORTEST_FRAME_MS) * SHORTEST_FRAME_MS);
  }
}

/** libopus uses CELT for music at the default bitrate, and SILK below 8 or 12 kHz for voice. */
function signalFor(expectedLossPercent: number): Signal {
  return expectedLossPercent > 0 ? Signal.Voice : Signal.Music;
}

function unlessMalformed(decode: () => Int16Array): Int16Array | null {
  try {
    return decode();
  } catch (thrown) {
    if (isOpusError(thrown)) return null;
    throw thrown;
  }
}
