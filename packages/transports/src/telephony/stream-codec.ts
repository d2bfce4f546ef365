import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '@calls/audio/g711';
import { G722Decoder, G722Encoder } from '@calls/audio/g722';
import { bytesFromSamples, samplesFromBytes } from '@calls/audio/pcm';
import type { StreamEncoding } from '@calls/providers/telephony/stream-format';
import { L16ByteOrder } from './l16-byte-order.ts';

/** Converts samples to and from the base64 payloads of one stream. L16 is sent in the byte order that is received. */
export class StreamCodec {
  readonly #input: StreamEncoding;
  readonly #output: StreamEncoding;
  readonly #byteOrder = new L16ByteOrder();
  readonly #g722 = { decoder: new G722Decoder(), encoder: new G722Encoder() };

  constructor({ input, output }: { input: StreamEncoding; output: StreamEncoding }) {
    this.#input = input;
    this.#output = output;
  }

  /** Null if the payload is not base64. Ignores half a sample at the end. */
  decode(payload: string): Int16Array | null {
    const bytes = readBase64(payload);
    if (!bytes) return null;
    switch (this.#input) {
      case 'mu_law':
        return decodeMuLaw(bytes);
      case 'a_law':
        return decodeALaw(bytes);
      case 'g722':
        return this.#g722.decoder.decode(bytes);
      case 'linear16': {
        const whole = bytes.subarray(0, bytes.length & ~1);
        this.#byteOrder.observe(whole);
        return samplesFromBytes(this.#byteOrder.isBigEndian ? whole.swap16() : whole);
      }
    }
  }

  encode(samples: Int16Array): string {
    return this.#bytes(samples).toString('base64');
  }

  #bytes(samples: Int16Array): Buffer {
    switch (this.#output) {
      case 'mu_law':
        return bufferOf(encodeMuLaw(samples));
      case 'a_law':
        return bufferOf(encodeALaw(samples));
      case 'g722':
        return bufferOf(this.#g722.encoder.encode(samples));
      case 'linear16': {
        const bytes = bufferOf(bytesFromSamples(samples));
        return this.#byteOrder.isBigEndian ? Buffer.from(bytes).swap16() : bytes;
      }
    }
  }
}

/** A view of the same memory. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Null if it is not base64. */
export function readBase64(payload: string): Buffer | null {
  const bytes = Buffer.from(payload, 'base64');
  return bytes.byteLength === byteLengthOf(payload) ? bytes : null;
}

/** Number of bytes that `payload` encodes. Used to detect invalid base64, which the decoder skips. */
function byteLengthOf(payload: string): number {
  let { length } = payload;
  while (length > payload.length - 2 && payload.charCodeAt(length - 1) === PADDING) length -= 1;
  return (length * 3) >> 2;
}

const PADDING = '='.charCodeAt(0);
