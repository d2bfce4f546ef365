import { createHash } from 'node:crypto';
import { seededRandom } from '@calls/audio/noise';

/** Random numbers for one purpose, independent of those for all others. */
export class Draws {
  readonly #random: () => number;

  /** `purpose`: identifies the use of the numbers, such as the id of a turn. */
  constructor(seed: number, purpose: string) {
    this.#random = seededRandom(createHash('sha256').update(`${seed} ${purpose}`).digest().readUInt32LE());
  }

  /** A number in [0, 1). */
  number(): number {
    return this.#random();
  }

  /** An integer in [0, below). */
  index(below: number): number {
    return Math.floor(this.#random() * below);
  }

  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.index(items.length)];
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, rank: this.#random() }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  }
}

/**
 * The share of longer pauses among those of at least 200 ms. Up to 1.6 s, it is proportional to the false cut-offs of a
 * silence-only detector in LiveKit's eot-bench (English: 55.6 % at 300 ms, 21.7 % at 600 ms, 5 % at 1.6 s), so that
 * figures have a similar scale.
 */
const LONGER: readonly (readonly [ms: number, share: number])[] = [
  [200, 1],
  [300, 0.74],
  [600, 0.29],
  [1600, 0.067],
  [2000, 0],
];

/** The duration of a pause: 200 ms to 2 s, logarithmic between the points of LONGER, in steps of 10 ms. */
export function pauseDurationMs(draws: Draws): number {
  const share = 1 - draws.number();
  const next = Math.max(
    1,
    LONGER.findIndex(([, longer]) => longer < share),
  );
  const [[fromMs, most], [toMs, least]] = [LONGER[next - 1] ?? [200, 1], LONGER[next] ?? [2000, 0]];
  const ms = fromMs * (toMs / fromMs) ** ((most - share) / (most - least));
  return Math.round(ms / 10) * 10;
}
