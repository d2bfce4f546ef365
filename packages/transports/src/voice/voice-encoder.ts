import { G722Encoder } from '@calls/audio/g722';
import { toError } from '@calls/foundation/errors';
import type { OpusCodecs, OpusEncoding } from '../opus/opus-codecs.ts';
import { FRAME_MS, LAWS, VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';

export interface VoiceEncoderListener {
  /** `payload` is valid only during the call. Frames are delivered in order, synchronously or later. */
  onFrame: (payload: Uint8Array) => void;
  onError: (err: Error) => void;
}

/** Encodes frames of 20 ms at the codec's output rate. */
export interface VoiceEncoder extends Disposable {
  /** A frame of silence. */
  readonly silence: Uint8Array;
  /** Call it when speech begins after silence that was not encoded. */
  begin(): void;
  encode(frame: Int16Array): void;
  /** Loss of sent packets, for codecs whose packets can carry earlier audio. */
  expectLoss(percent: number): void;
}

/** A frame of silence, for a sender without an encoder. */
export function silenceOf(codec: VoiceCodec): Uint8Array {
  switch (codec) {
    case 'opus':
      return OPUS_SILENCE;
    case 'G722':
      return new G722VoiceEncoder({ onFrame: () => undefined }).silence;
    case 'PCMU':
    case 'PCMA':
      return LAWS[codec].encode(silentFrame(codec));
  }
}

export function createVoiceEncoder(
  codec: VoiceCodec,
  opus: OpusCodecs | null,
  listener: VoiceEncoderListener,
): VoiceEncoder {
  switch (codec) {
    case 'opus':
      if (!opus) throw new Error('Opus was negotiated without its codec');
      return new OpusVoiceEncoder(opus, listener);
    case 'G722':
      return new G722VoiceEncoder(listener);
    case 'PCMU':
    case 'PCMA': {
      const { encode } = LAWS[codec];
      return {
        silence: encode(silentFrame(codec)),
        begin: () => undefined,
        encode: (frame) => listener.onFrame(encode(frame)),
        expectLoss: () => undefined,
        [Symbol.dispose]: () => undefined,
      };
    }
  }
}

/** Silence after which the state of a G.722 encoder no longer changes. */
const SETTLING_FRAMES = 25;

class G722VoiceEncoder implements VoiceEncoder {
  readonly silence: Uint8Array;
  readonly #onFrame: VoiceEncoderListener['onFrame'];
  readonly #frame = silentFrame('G722');
  #encoder = new G722Encoder();

  constructor({ onFrame }: Pick<VoiceEncoderListener, 'onFrame'>) {
    this.#onFrame = onFrame;
    this.silence = this.#settled();
  }

  begin(): void {
    this.#settled();
  }

  encode(frame: Int16Array): void {
    this.#onFrame(this.#encoder.encode(frame));
  }

  expectLoss(): void {
    // Packets carry no earlier audio.
  }

  [Symbol.dispose](): void {
    // Nothing to release.
  }

  /** Brings the encoder to the state of the peer's decoder after silence; returns the last frame. */
  #settled(): Uint8Array {
    this.#encoder = new G722Encoder();
    let last: Uint8Array = new Uint8Array(0);
    for (let i = 0; i < SETTLING_FRAMES; i += 1) last = this.#encoder.encode(this.#frame);
    return last;
  }
}

/** A frame of 20 ms that encodes silence (RFC 6716). */
const OPUS_SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);

class OpusVoiceEncoder implements VoiceEncoder {
  readonly silence = OPUS_SILENCE;
  #encoding: OpusEncoding | null = null;
  #isDisposed = false;

  constructor(opus: OpusCodecs, { onFrame, onError }: VoiceEncoderListener) {
    opus
      .openEncoder(VOICE_FORMATS.opus.outputRateHz, { onPacket: (payload) => onFrame(payload), onError })
      .then(
        (encoding) => {
          if (this.#isDisposed) encoding[Symbol.dispose]();
          else this.#encoding = encoding;
        },
        (thrown: unknown) => onError(toError(thrown)),
      );
  }

  begin(): void {
    // The decoder accepts any frame after silence.
  }

  encode(frame: Int16Array): void {
    this.#encoding?.encode(frame, 0);
  }

  expectLoss(percent: number): void {
    this.#encoding?.expectLoss(percent);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#encoding?.[Symbol.dispose]();
  }
}

function silentFrame(codec: VoiceCodec): Int16Array {
  return new Int16Array((VOICE_FORMATS[codec].outputRateHz * FRAME_MS) / 1000);
}
