/** Consecutive samples, and when they began to play. */
export interface Sound {
  startMs: number;
  samples: number[];
}

export function timesMsOf(sounds: readonly Sound[], samplesPerMs: number): number[] {
  return sounds.flatMap(({ startMs, samples }) => samples.map((_, i) => startMs + i / samplesPerMs));
}

/** A remote loudspeaker that plays frames one after the other. `clear` drops what it has not played. */
export class Loudspeaker {
  readonly played: Sound[] = [];
  readonly #samplesPerMs: number;
  #endMs = 0;

  constructor(sampleRateHz: number) {
    this.#samplesPerMs = sampleRateHz / 1000;
  }

  /** All samples that were played, in order. */
  get sound(): number[] {
    return this.played.flatMap(({ samples }) => samples);
  }

  /** The playback time of each sample. */
  get timesMs(): number[] {
    return timesMsOf(this.played, this.#samplesPerMs);
  }

  play(samples: Int16Array, nowMs: number): void {
    const startMs = Math.max(nowMs, this.#endMs);
    this.played.push({ startMs, samples: [...samples] });
    this.#endMs = startMs + samples.length / this.#samplesPerMs;
  }

  clear(nowMs: number): void {
    for (const frame of this.played) {
      frame.samples.length = Math.min(
        frame.samples.length,
        Math.max(0, Math.floor((nowMs - frame.startMs) * this.#samplesPerMs + 1e-6)),
      );
    }
    this.#endMs = Math.min(this.#endMs, nowMs);
  }
}

/** Pseudo-random integers below a bound, identical for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}
