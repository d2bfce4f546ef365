import type { MixerSource } from './live-input.ts';

/** Fixed-point volume: integer multiplication is the hot path. */
const VOLUME_BITS = 15;
const VOLUME_UNIT = 2 ** VOLUME_BITS;

/** A clip that plays in a loop. */
export class LoopedClip implements MixerSource {
  readonly #clip: Int16Array;
  /** In units of 1 / VOLUME_UNIT. */
  readonly #volume: number;
  /** Index of the clip sample to mix next. */
  #position = 0;

  /** `clip` is not empty, and must not be modified. `volume`: gain, 0 to 1. */
  constructor(clip: Int16Array, volume: number) {
    this.#clip = clip;
    this.#volume = Math.round(volume * VOLUME_UNIT);
  }

  addTo(sum: Int32Array, count: number): void {
    const clip = this.#clip;
    const volume = this.#volume;
    let position = this.#position;
    for (let i = 0; i < count; i += 1) {
      sum[i] = (sum[i] ?? 0) + (((clip[position] ?? 0) * volume + VOLUME_UNIT / 2) >> VOLUME_BITS);
      position += 1;
      if (position === clip.length) position = 0;
    }
    this.#position = position;
  }

  rewind(count: number): void {
    const { length } = this.#clip;
    this.#position = (this.#position + length - (count % length)) % length;
  }
}
