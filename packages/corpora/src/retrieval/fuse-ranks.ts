/** Dampens the weight of the first ranks (Cormack, Clarke and Büttcher, SIGIR 2009). */
const K = 60;

export interface Fused<T> {
  item: T;
  /** 1: first in every list. 0 is never reached. */
  score: number;
}

/**
 * Reciprocal rank fusion: merges ranked lists, best first. An item scores by its ranks alone, so the lists' own scores
 * need not be comparable. `keyOf` identifies an item in all lists. Equal scores are in the order of the lists.
 */
export function fuseRanks<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): Fused<T>[] {
  const best = lists.length / (K + 1);
  const fused = new Map<string, Fused<T>>();
  for (const list of lists) {
    for (const [index, item] of list.entries()) {
      const share = 1 / (K + index + 1) / best;
      const known = fused.get(keyOf(item));
      if (known) known.score += share;
      else fused.set(keyOf(item), { item, score: share });
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
