import { bytesFromSamples } from '@calls/audio/pcm';

const FIRST_CAPACITY_SAMPLES = 32_000;

/**
 * The audio of one utterance in one growing array. A full buffer drops and counts further samples, so that a long
 * utterance is transcribed from its start.
 */
export class UtteranceBuffer {
  readonly #maxSamples: number;
  #samples: Int16Array;
  #length = 0;
  #dropped = 0;

  constructor(maxSamples: number) {
    this.#maxSamples = maxSamples;
    this.#samples = new Int16Array(Math.min(maxSamples, FIRST_CAPACITY_SAMPLES));
  }

  get lengthSamples(): number {
    return this.#length;
  }

  get droppedSamples(): number {
    return this.#dropped;
  }

  push(samples: Int16Array): void {
    const accepted = Math.min(samples.length, this.#maxSamples - this.#length);
    this.#dropped += samples.length - accepted;
    if (accepted === 0) return;
    this.#reserve(this.#length + accepted);
    this.#samples.set(accepted === samples.length ? samples : samples.subarray(0, accepted), this.#length);
    this.#length += accepted;
  }

  /** The audio so far as bytes, padded with silence to `minSamples`. Later pushes do not change these bytes. */
  bytes(minSamples: number): Uint8Array {
    if (this.#length >= minSamples) return bytesFromSamples(this.#samples.subarray(0, this.#length));
    const padded = new Int16Array(minSamples);
    padded.set(this.#samples.subarray(0, this.#length));
    return bytesFromSamples(padded);
  }

  /** The audio after the first `fromSamples` as bytes. Later pushes do not change these bytes. */
  bytesFrom(fromSamples: number): Uint8Array {
    return bytesFromSamples(this.#samples.subarray(fromSamples, this.#length));
  }

  /** Frees the audio; the counts remain. */
  clear(): void {
    this.#samples = new Int16Array(0);
  }

  #reserve(lengthSamples: number): void {
    if (lengthSamples <= this.#samples.length) return;
    const grown = new Int16Array(
      Math.min(this.#maxSamples, Math.max(lengthSamples, this.#samples.length * 2)),
    );
    grown.set(this.#samples.subarray(0, this.#length));
    this.#samples = grown;
  }
}
