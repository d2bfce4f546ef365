export interface RankedText {
  /** Index of the text in the request. */
  index: number;
  /** 0 to 1: how well the text responds to the query. */
  score: number;
}

/** Scores texts by reading each together with the query. That is slower and more exact than comparing embeddings. */
export interface Reranker {
  /** Maximum number of texts per request. */
  readonly maxTexts: number;
  /** All texts, best first. Throws a ProviderError. No retries. */
  rank(query: string, texts: readonly string[], signal: AbortSignal): Promise<RankedText[]>;
}
