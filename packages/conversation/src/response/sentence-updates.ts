import type { Sentence } from './sentence-builder.ts';
import { SentenceSplitter } from './sentence-splitter.ts';

export type SentenceUpdate =
  | { type: 'sentence'; sentence: Sentence }
  /** The first sentence is very likely this one. Replaces an earlier one. */
  | { type: 'likely'; sentence: Sentence }
  /** The last `likely` sentence does not end there. */
  | { type: 'unlikely' };

/**
 * Splits text into sentences. A likely first sentence comes ahead of the text that confirms it, as the user is waiting
 * for it.
 */
export async function* sentencesOf(texts: AsyncIterable<string>): AsyncGenerator<SentenceUpdate> {
  const splitter = new SentenceSplitter();
  let isFirst = true;
  /** Text of the last `likely` update that stands. */
  let likely: string | null = null;
  for await (const text of texts) {
    const sentences = splitter.push(text);
    if (sentences.length > 0) isFirst = false;
    yield* updatesOf(sentences);
    const next = isFirst ? splitter.likely() : null;
    if (!isFirst || (next?.shown ?? null) === likely) continue;
    likely = next?.shown ?? null;
    yield next ? { type: 'likely', sentence: next } : { type: 'unlikely' };
  }
  yield* updatesOf(splitter.flush());
}

export function updatesOf(sentences: readonly Sentence[]): SentenceUpdate[] {
  return sentences.map((sentence) => ({ type: 'sentence', sentence }));
}
