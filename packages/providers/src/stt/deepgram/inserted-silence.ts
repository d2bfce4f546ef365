/** Silence sent between audio. Converts positions in the sent audio to positions without it. */
export class InsertedSilence {
  /** In order; positions in the sent audio. */
  readonly #parts: { start: number; end: number }[] = [];
  #totalSamples = 0;

  /** Silence is sent after `position`, which does not count earlier silence. */
  insert(position: number, samples: number): void {
    const start = position + this.#totalSamples;
    this.#parts.push({ start, end: start + samples });
    this.#totalSamples += samples;
  }

  without(position: number): number {
    return this.#parts.reduce(
      (left, { start, end }) => left - Math.max(0, Math.min(position, end) - start),
      position,
    );
  }
}
