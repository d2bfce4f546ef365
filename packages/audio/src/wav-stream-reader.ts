import { decodeWavData } from './wav.ts';
import { readWavHeader, WavError, type WavFormat } from './wav-header.ts';

/** Longer headers are rejected: pictures and notes belong after the audio of a stream. */
const MAX_HEADER_BYTES = 65_536;
const NO_BYTES = new Uint8Array(0);
const NO_SAMPLES = new Int16Array(0);

/** Reads a WAV stream as mono samples; data after the audio is ignored. */
export class WavStreamReader {
  #format: WavFormat | undefined;
  #rest: Uint8Array = NO_BYTES;
  #remainingBytes = Infinity;

  /** Available once the audio has started. */
  get format(): WavFormat | undefined {
    return this.#format;
  }

  /** Returns the samples that `bytes` completes. Throws a WavError if the stream is not a WAV file. */
  push(bytes: Uint8Array): Int16Array {
    const joined = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const data = this.#format ? joined : this.#dataAfterHeader(joined);
    if (!data || !this.#format) return NO_SAMPLES;
    const audio = data.byteLength > this.#remainingBytes ? data.subarray(0, this.#remainingBytes) : data;
    const wholeBytes = audio.byteLength - (audio.byteLength % this.#format.blockBytes);
    this.#remainingBytes -= wholeBytes;
    this.#rest = new Uint8Array(audio.subarray(wholeBytes));
    return decodeWavData(audio.subarray(0, wholeBytes), this.#format);
  }

  #dataAfterHeader(bytes: Uint8Array): Uint8Array | undefined {
    const header = readWavHeader(bytes);
    if (!header) {
      if (bytes.byteLength > MAX_HEADER_BYTES) throw new WavError('the audio does not start');
      this.#rest = bytes.slice();
      return undefined;
    }
    this.#format = header.format;
    this.#remainingBytes = header.dataBytes ?? Infinity;
    return bytes.subarray(header.dataOffset);
  }
}
