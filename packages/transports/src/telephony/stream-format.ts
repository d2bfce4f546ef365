import { decodeALaw, decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { bytesFromSamples, samplesFromBytes } from '@calls/audio/pcm';

/** Encoding of samples in frames. `linear16` is signed and little-endian, even if RFC 2586 specifies big-endian. */
export type StreamEncoding = 'mu_law' | 'a_law' | 'linear16';

export interface StreamFormat {
  encoding: StreamEncoding;
  sampleRateHz: number;
}

export const MU_LAW_8K: StreamFormat = { encoding: 'mu_law', sampleRateHz: 8000 };

/** Formats of sent audio. */
export type SentFormat = StreamFormat & { encoding: 'mu_law' | 'linear16' };

/** Decodes a frame's payload; null if it is not base64. Ignores half a sample at the end. */
export function decodePayload(payload: string, encoding: StreamEncoding): Int16Array | null {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.byteLength !== byteLengthOf(payload)) return null;
  switch (encoding) {
    case 'mu_law':
      return decodeMuLaw(bytes);
    case 'a_law':
      return decodeALaw(bytes);
    case 'linear16':
      return samplesFromBytes(bytes);
  }
}

/** Number of bytes that `payload` encodes. Used to detect invalid base64, which the decoder skips. */
function byteLengthOf(payload: string): number {
  let { length } = payload;
  while (length > payload.length - 2 && payload.charCodeAt(length - 1) === PADDING) length -= 1;
  return (length * 3) >> 2;
}

const PADDING = '='.charCodeAt(0);

/** Encodes `samples` as a frame's payload. */
export function encodePayload(samples: Int16Array, encoding: SentFormat['encoding']): string {
  const { buffer, byteOffset, byteLength } =
    encoding === 'mu_law' ? encodeMuLaw(samples) : bytesFromSamples(samples);
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
