import { toError } from '@calls/foundation/errors';
import { OPUS_INPUT_RATE_HZ } from '@calls/providers/telephony/stream-format';
import type { OpusCodecs, OpusDecoding } from '../opus/opus-codecs.ts';
import { OPUS } from '../rtp/opus-payload.ts';

export interface OpusInputListener {
  /** The receiver owns the samples. Called later than `decode`, in its order. */
  onAudio: (samples: Int16Array) => void;
  /** No audio follows. */
  onError: (err: Error) => void;
}

/** Decodes Opus in the payloads of RTP packets (RFC 7587): one packet of Opus each. */
export class OpusInput implements Disposable {
  /** Null until the decoder is open. Earlier packets are dropped. */
  #decoding: OpusDecoding | null = null;
  #isDisposed = false;

  constructor(opus: OpusCodecs, { onAudio, onError }: OpusInputListener) {
    const listener = {
      onAudio: (samples: Int16Array | null): void => {
        if (samples && !this.#isDisposed) onAudio(samples);
      },
      onError,
    };
    opus.openDecoder(OPUS_INPUT_RATE_HZ, listener).then(
      (decoding) => {
        if (this.#isDisposed) decoding[Symbol.dispose]();
        else this.#decoding = decoding;
      },
      (thrown: unknown) => onError(toError(thrown)),
    );
  }

  /** False if `packet` is not an Opus packet. */
  decode(packet: Uint8Array): boolean {
    const samples = OPUS.durationOf(packet);
    if (samples === null) return false;
    this.#decoding?.decode(packet, (samples * 1000) / OPUS.clockRateHz);
    return true;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#decoding?.[Symbol.dispose]();
  }
}
