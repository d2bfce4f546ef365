/** Turns texts into vectors of unit length; texts of similar meaning have a high dot product. */
export interface TextEmbedder {
  /** Names the kind of vectors. Vectors with different names cannot be compared. */
  readonly model: string;
  /** Maximum number of texts per request. */
  readonly maxTexts: number;
  /** The vectors in the order of the texts, all of the same length. Throws a ProviderError. No retries. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
