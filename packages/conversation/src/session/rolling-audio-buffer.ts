import { concatSamples } from '@calls/audio/pcm';

/** Holds the newest `maxSamples` samples. */
export class RollingAudioBuffer {
  readonly #maxSamples: number;
  readonly #pieces: Int16Array[] = [];
  #samples = 0;

  constructor(maxSamples: number) {
    this.#maxSamples = maxSamples;
  }

  /** Copies `samples`. */
  push(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#pieces.push(samples.slice());
    this.#samples += samples.length;
    for (
      let oldest = this.#pieces[0];
      oldest && this.#samples - oldest.length >= this.#maxSamples;
      oldest = this.#pieces[0]
    ) {
      this.#pieces.shift();
      this.#samples -= oldest.length;
    }
  }

  /** Returns a copy, oldest sample first. */
  read(): Int16Array {
    return concatSamples(this.#pieces).slice(-this.#maxSamples);
  }
}
