import { G722Decoder } from '@calls/audio/g722';
import { LossConcealment } from '@calls/audio/loss-concealment';
import { bytesFromSamples } from '@calls/audio/pcm';
import { toError } from '@calls/foundation/errors';
import type { OpusCodecs, OpusDecoding } from '../opus/opus-codecs.ts';
import { OPUS } from '../rtp/opus-payload.ts';
import type { Playout, RtpAudioCodec } from '../rtp/playout.ts';
import { LAWS, VOICE_FORMATS, type VoiceCodec } from '../rtp/voice-codecs.ts';

const CLOCK_RATE_HZ = 8000;
/** Maximum packet length of 200 ms; longer packets are invalid. */
const MAX_TICKS = CLOCK_RATE_HZ / 5;
const SAMPLE_BYTES = Int16Array.BYTES_PER_ELEMENT;

export interface VoiceDecoderListener {
  /** The receiver owns `samples`. */
  onAudio: (samples: Int16Array) => void;
  onSilence: (durationMs: number) => void;
  /** No audio follows. */
  onError: (err: Error) => void;
}

/** Decodes ordered packets at the input rate of their codec. */
export interface VoiceDecoder extends Disposable {
  /** The codec of the payloads that `queued` returns. */
  readonly codec: RtpAudioCodec;
  readonly rateHz: number;
  /** Converts a payload to the form in which it is queued. */
  readonly queued: (payload: Uint8Array, codec: VoiceCodec) => Uint8Array;
  play(playout: Playout): void;
}

/** Codecs whose packets can follow each other. */
export type VoiceFamily = 'opus' | 'G722' | 'G711';

export function familyOf(codec: VoiceCodec): VoiceFamily {
  return codec === 'PCMU' || codec === 'PCMA' ? 'G711' : codec;
}

export function createVoiceDecoder(
  family: VoiceFamily,
  opus: OpusCodecs | null,
  listener: VoiceDecoderListener,
): VoiceDecoder {
  switch (family) {
    case 'opus':
      if (!opus) throw new Error('Opus was negotiated without its codec');
      return new OpusVoiceDecoder(opus, listener);
    case 'G722': {
      const decoder = new G722Decoder();
      return new ConcealingDecoder(VOICE_FORMATS.G722.inputRateHz, 1, listener, {
        queued: (payload) => payload,
        decode: (payload) => decoder.decode(payload),
      });
    }
    case 'G711':
      return new ConcealingDecoder(VOICE_FORMATS.PCMU.inputRateHz, SAMPLE_BYTES, listener, {
        // Queued audio is decoded, because a peer may switch between A-law and mu-law with any packet.
        queued: (payload, codec) =>
          codec === 'PCMA' || codec === 'PCMU' ? bytesFromSamples(LAWS[codec].decode(payload)) : payload,
        decode: ({ buffer, byteOffset, byteLength }) =>
          new Int16Array(buffer, byteOffset, byteLength / SAMPLE_BYTES),
      });
  }
}

interface PlainCodec {
  queued: (payload: Uint8Array, codec: VoiceCodec) => Uint8Array;
  decode: (payload: Uint8Array) => Int16Array;
}

/** Decodes a codec of constant bit rate that has no concealment. */
class ConcealingDecoder implements VoiceDecoder {
  readonly codec: RtpAudioCodec;
  readonly rateHz: number;
  readonly queued: PlainCodec['queued'];
  readonly #decode: PlainCodec['decode'];
  readonly #listener: VoiceDecoderListener;
  readonly #concealment: LossConcealment;

  constructor(
    rateHz: number,
    bytesPerTick: number,
    listener: VoiceDecoderListener,
    { queued, decode }: PlainCodec,
  ) {
    this.rateHz = rateHz;
    this.queued = queued;
    this.#decode = decode;
    this.#listener = listener;
    this.#concealment = new LossConcealment(rateHz);
    this.codec = {
      clockRateHz: CLOCK_RATE_HZ,
      durationOf: ({ length }) =>
        length > 0 && length <= MAX_TICKS * bytesPerTick ? length / bytesPerTick : null,
      carriesPrevious: () => false,
    };
  }

  play(playout: Playout): void {
    const { durationMs } = playout;
    switch (playout.type) {
      case 'decode': {
        const samples = this.#decode(playout.payload);
        this.#concealment.received(samples);
        this.#listener.onAudio(samples);
        break;
      }
      case 'conceal':
        this.#listener.onAudio(this.#concealment.conceal(Math.round((durationMs * this.rateHz) / 1000)));
        break;
      // Packets contain no earlier audio.
      case 'recover':
      case 'gap':
        this.#concealment.received(new Int16Array(this.rateHz / 50));
        this.#listener.onSilence(durationMs);
        break;
    }
  }

  [Symbol.dispose](): void {
    // Nothing to release.
  }
}

class OpusVoiceDecoder implements VoiceDecoder {
  readonly codec = OPUS;
  readonly rateHz = VOICE_FORMATS.opus.inputRateHz;
  #decoding: OpusDecoding | null = null;
  #isDisposed = false;

  constructor(opus: OpusCodecs, { onAudio, onSilence, onError }: VoiceDecoderListener) {
    const onDecoded = (samples: Int16Array | null, durationMs: number): void => {
      if (this.#isDisposed) return;
      if (samples) onAudio(samples);
      else onSilence(durationMs);
    };
    opus.openDecoder(VOICE_FORMATS.opus.inputRateHz, { onAudio: onDecoded, onError }).then(
      (decoding) => {
        if (this.#isDisposed) decoding[Symbol.dispose]();
        else this.#decoding = decoding;
      },
      (thrown: unknown) => onError(toError(thrown)),
    );
  }

  readonly queued = (payload: Uint8Array): Uint8Array => payload;

  play(playout: Playout): void {
    const { durationMs } = playout;
    switch (playout.type) {
      case 'decode':
        return this.#decoding?.decode(playout.payload, durationMs);
      case 'recover':
        return this.#decoding?.recover(playout.payload, durationMs);
      case 'conceal':
        return this.#decoding?.conceal(durationMs);
      case 'gap':
        return this.#decoding?.pass(durationMs);
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#decoding?.[Symbol.dispose]();
  }
}
