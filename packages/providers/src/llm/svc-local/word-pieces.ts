const PIECE_CHARS = 6;

/**
 * Splits text like a tokenizer: words with the preceding space, long ones in parts. Joined, the parts equal the text.
 */
export function wordPieces(text: string): string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  return words.flatMap((word) => word.match(new RegExp(`\\s*\\S{1,${PIECE_CHARS}}|\\s+`, 'gu')) ?? []);
}

export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
