/** Encoding of audio in a provider's frames. `linear16` is signed; its byte order is detected (`L16ByteOrder`). */
export type StreamEncoding = 'mu_law' | 'a_law' | 'g722' | 'linear16';

export interface StreamFormat {
  encoding: StreamEncoding;
  sampleRateHz: number;
}

/** Format of the user's audio. */
export type InputFormat = StreamFormat | { encoding: 'opus'; sampleRateHz: number };

/** Sample rate of decoded Opus, regardless of the rate that the provider reports: each packet says what it contains. */
export const OPUS_INPUT_RATE_HZ = 16_000;

export const MU_LAW_8K: StreamFormat = { encoding: 'mu_law', sampleRateHz: 8000 };
