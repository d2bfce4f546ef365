export interface RankedText {
  /** Of the text in the request. */
  index: number;
  /** 0 to 1: how well the text responds to the query. */
  score: number;
}

/** Compares texts with a query, both at once, which is slower and more exact than comparing their embeddings. */
export interface Reranker {
  /** Most texts of one request. */
  readonly maxTexts: number;
  /** All texts, best first. Throws a ProviderError. No retries. */
  rank(query: string, texts: readonly string[], signal: AbortSignal): Promise<RankedText[]>;
}
