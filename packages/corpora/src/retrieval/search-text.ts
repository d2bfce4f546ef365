/** Scripts that put no spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC]+/gu;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The text with spaces between its words in every script: full-text search tells words by them. */
export function searchText(text: string): string {
  return text.replace(SPACELESS, (run) => {
    const words = Array.from(segmenter.segment(run), ({ segment }) => segment);
    return ` ${words.join(' ')} `;
  });
}
