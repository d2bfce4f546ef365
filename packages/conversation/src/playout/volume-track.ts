/** Duration of the transition between two volumes, so that it does not click. */
const RAMP_MS = 20;

interface Change {
  atSample: number;
  from: number;
  to: number;
}

/** The volume of an utterance by sample position: 1 until it is changed. */
export class VolumeTrack {
  readonly #rampSamples: number;
  /** In ascending order; usually empty. */
  #changes: Change[] = [];

  constructor(sampleRateHz: number) {
    this.#rampSamples = (RAMP_MS * sampleRateHz) / 1000;
  }

  /** Changes the volume (0 to 1) from `atSample` on, instead of later changes. */
  set(atSample: number, volume: number): void {
    const from = this.#at(atSample);
    this.#changes = this.#changes.filter((change) => change.atSample < atSample);
    if (this.#changes.length > 0 || from !== volume) this.#changes.push({ atSample, from, to: volume });
  }

  /** Applies the volume to samples that begin at position `start`. */
  apply(samples: Int16Array, start: number): void {
    if (this.#changes.length === 0) return;
    for (let i = 0; i < samples.length; i += 1)
      samples[i] = Math.round((samples[i] ?? 0) * this.#at(start + i));
  }

  /** Forgets changes that are over at `position`. */
  release(position: number): void {
    while (this.#changes.length > 0) {
      const [first, next] = this.#changes;
      const isOver = next ? next.atSample <= position : first?.to === 1 && this.#isReached(first, position);
      if (!isOver) return;
      this.#changes.shift();
    }
  }

  #isReached({ atSample }: Change, position: number): boolean {
    return position >= atSample + this.#rampSamples;
  }

  #at(sample: number): number {
    const change = this.#changes.findLast(({ atSample }) => atSample <= sample);
    if (!change) return 1;
    const progress = Math.min(1, (sample - change.atSample) / this.#rampSamples);
    return change.from + (change.to - change.from) * progress;
  }
}
