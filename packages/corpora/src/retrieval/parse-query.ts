/** Scripts without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30FC]+/gu;

/** Splits all scripts. Without a locale, results would depend on `LANG`. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** PostgreSQL rejects words of 2 KiB; queries do not need words this long. */
const MAX_WORD_CHARS = 200;

const UNWANTED = /(?<=^|\s)-(?:"([^"]*)"|([^\s"-]\S*))/gu;

export interface ParsedQuery {
  /** Words and quoted phrases; empty if the query has none. */
  wanted: string;
  /** Words and phrases of which none may occur; may be empty. */
  unwanted: string;
}

/** Both parts use the syntax of PostgreSQL's websearch_to_tsquery. */
export function parseQuery(query: string): ParsedQuery {
  const unwanted: string[] = [];
  const wanted = query.replace(UNWANTED, (_all, phrase?: string, word?: string) => {
    unwanted.push(phrase === undefined ? (word ?? '') : `"${phrase}"`);
    return ' ';
  });
  return { wanted: readable(wanted), unwanted: unwanted.map(readable).filter(Boolean).join(' or ') };
}

function readable(text: string): string {
  return searchText(text)
    .split(/\s+/u)
    .filter((word) => word !== '' && word.length <= MAX_WORD_CHARS)
    .join(' ');
}

/** Inserts spaces between the words of all scripts, because full-text search splits words at spaces. */
export function searchText(text: string): string {
  return text.replace(SPACELESS, (run) => {
    const words = Array.from(segmenter.segment(run), ({ segment }) => segment);
    return ` ${words.join(' ')} `;
  });
}
