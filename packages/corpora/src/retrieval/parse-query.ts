import { searchText } from './search-text.ts';

/** PostgreSQL rejects words of 2 KiB; queries do not need words this long. */
const MAX_WORD_CHARS = 200;

const UNWANTED = /(?<=^|\s)-(?:"([^"]*)"|([^\s"-]\S*))/gu;

export interface ParsedQuery {
  /** Words and phrases in quotes; empty: the query asks for nothing. */
  wanted: string;
  /** What must not occur, one or the other; empty: nothing. */
  unwanted: string;
}

/** Both in the syntax of PostgreSQL's websearch_to_tsquery. */
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
