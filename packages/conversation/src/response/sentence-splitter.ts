import { MarkdownReader } from './markdown-reader.ts';
import { SentenceBuilder, type Sentence } from './sentence-builder.ts';

/**
 * Splits a model's text stream into sentences for TTS, without markup and pictographs. The result does not
 * depend on how the text is chunked.
 */
export class SentenceSplitter {
  readonly #builder = new SentenceBuilder();
  readonly #reader = new MarkdownReader(this.#builder);
  /** The first half of a surrogate pair whose second half is pending. */
  #half = '';

  /** Returns the sentences that `text` completes. */
  push(text: string): readonly Sentence[] {
    for (const char of this.#half + text) {
      this.#half = isFirstHalf(char) ? char : '';
      if (this.#half === '') this.#reader.read(char);
    }
    return this.#builder.take();
  }

  /** The next sentence if it very likely ends with the text so far; null otherwise. */
  likely(): Sentence | null {
    const { pendingMark } = this.#reader;
    return pendingMark === null ? null : this.#builder.likely(pendingMark);
  }

  /** Returns the rest at the end of the text. */
  flush(): readonly Sentence[] {
    this.#half = '';
    this.#reader.end();
    return this.#builder.take();
  }
}

function isFirstHalf(char: string): boolean {
  const code = char.charCodeAt(0);
  return char.length === 1 && code >= 0xd800 && code < 0xdc00;
}
