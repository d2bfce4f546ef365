import { MarkdownReader } from './markdown-reader.ts';
import { SentenceBuilder, type Sentence } from './sentence-builder.ts';

/**
 * Cuts a model's stream into sentences that a voice can speak one by one, without marks and pictographs. The sentences
 * depend on the text alone, not on the pieces it comes in.
 */
export class SentenceSplitter {
  readonly #builder = new SentenceBuilder();
  readonly #reader = new MarkdownReader(this.#builder);
  /** The first half of a code point whose second is still to come. */
  #half = '';

  /** The sentences that `text` completes. */
  push(text: string): readonly Sentence[] {
    for (const char of this.#half + text) {
      this.#half = isFirstHalf(char) ? char : '';
      if (this.#half === '') this.#reader.read(char);
    }
    return this.#builder.take();
  }

  /** What is left at the end of the text. */
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
