/** Quality of rankings with one relevant document each. */
export interface RankingQuality {
  /** Share of queries whose document is among the first 5. */
  recallAt5: number;
  /** Mean of 1 / log2(1 + rank) for documents among the first 10, otherwise 0. */
  ndcgAt10: number;
}

/** `ranks`: ranks of the relevant documents, from 1; null if a document was not found. */
export function rankingQuality(ranks: readonly (number | null)[]): RankingQuality {
  const mean = (of: (rank: number) => number): number =>
    ranks.reduce<number>((sum, rank) => sum + (rank === null ? 0 : of(rank)), 0) / Math.max(1, ranks.length);
  return {
    recallAt5: mean((rank) => (rank <= 5 ? 1 : 0)),
    ndcgAt10: mean((rank) => (rank <= 10 ? 1 / Math.log2(1 + rank) : 0)),
  };
}

/** The rank of a document in results that may contain several passages of a document. */
export function rankOf(documentIds: readonly string[], wanted: string): number | null {
  const rank = [...new Set(documentIds)].indexOf(wanted);
  return rank === -1 ? null : rank + 1;
}
