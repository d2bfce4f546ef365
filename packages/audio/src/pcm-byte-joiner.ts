import { samplesFromBytes } from './pcm.ts';

const NO_SAMPLES = new Int16Array(0);

/**
 * Reads samples from a byte stream with arbitrary chunk boundaries; half a sample waits for its second byte.
 */
export class PcmByteJoiner {
  #half: number | undefined;

  /** Whether the stream so far ends inside a sample. */
  get hasHalfSample(): boolean {
    return this.#half !== undefined;
  }

  /** Returns the samples that `bytes` completes; they may share the memory of `bytes`. */
  push(bytes: Uint8Array): Int16Array {
    if (bytes.byteLength === 0) return NO_SAMPLES;
    const half = this.#half;
    if (half === undefined) {
      this.#half = bytes.byteLength % 2 === 1 ? bytes.at(-1) : undefined;
      return samplesFromBytes(bytes);
    }
    const joined = new Uint8Array(bytes.byteLength + 1);
    joined[0] = half;
    joined.set(bytes, 1);
    this.#half = joined.byteLength % 2 === 1 ? joined.at(-1) : undefined;
    return samplesFromBytes(joined);
  }
}
