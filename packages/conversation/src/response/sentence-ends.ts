import { BEFORE_NUMBERS, BEFORE_ORDINALS, NEVER_LAST, SOMETIMES_LAST, TITLES } from './abbreviations.ts';

/** Whether a full stop or a similar mark ends the sentence. */
export type Ending =
  /** Ends it. */
  | 'end'
  /** Does not end it. */
  | 'inside'
  /** Ends it unless a lower-case letter or a joining mark follows. */
  | 'unless_small'
  /** Ends it unless a lower-case letter, a joining mark or a digit follows. */
  | 'unless_small_or_digit'
  /** Ends it unless a digit follows. */
  | 'unless_digit';

const SMALL = /[\p{Ll},;:–—\-)\]»%/&+=]/u;
const DIGIT = /\p{Nd}/u;

/** Whether the sentence continues with `next`, the first character after white space. */
export function sentenceContinues(ending: Ending, next: string): boolean {
  switch (ending) {
    case 'end':
      return false;
    case 'inside':
      return true;
    case 'unless_small':
      return SMALL.test(next);
    case 'unless_small_or_digit':
      return SMALL.test(next) || DIGIT.test(next);
    case 'unless_digit':
      return DIGIT.test(next);
  }
}

const LAST_WORDS = /(?:(\S+)\s+)?(\S+)$/u;
/** Opening marks and elided articles: "l'art." */
const AHEAD_OF_WORD = /^(?:[\p{Ps}\p{Pi}"'¿¡]|\p{L}{1,2}['’](?=\p{L}))+/u;
const DOTTED = /^(?:\p{L}{1,2}\.)+-?\p{L}{1,2}$/u;
const INITIAL = /^(?:\p{Lu}|\p{Lu}\.-?\p{Lu}|\p{Lo}|Th|Ch|Ph)$/u;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** `text`: the sentence before a single full stop that is followed by white space. */
export function endingOfFullStop(text: string): Ending {
  const found = LAST_WORDS.exec(text);
  if (!found) return 'end';
  const before = found[1]?.toLowerCase() ?? null;
  const word = (found[2] ?? '').replace(AHEAD_OF_WORD, '');
  if (/^\p{Nd}{1,2}$/u.test(word)) return endingOfOrdinal(before);
  if (TITLES.has(word)) return 'inside';
  const small = word.toLowerCase();
  // Distinguishes "So do I." and "in World War I." from "I. Newton".
  if (word === 'I' && before !== null) return 'end';
  if (NEVER_LAST.has(small)) return 'inside';
  // "No." alone is a frequent sentence.
  if (BEFORE_NUMBERS.has(small)) return SOMETIMES_LAST.has(small) ? 'unless_small_or_digit' : 'unless_digit';
  if (SOMETIMES_LAST.has(small) || /\p{L}str$/u.test(small)) return 'unless_small_or_digit';
  if (INITIAL.test(word) && !IDEOGRAPHS.test(word)) return 'inside';
  if (DOTTED.test(word)) return 'inside';
  return /^\p{Ll}$/u.test(word) ? 'unless_small_or_digit' : 'end';
}

/** "3." alone is a list number; "am 3." is a date. */
function endingOfOrdinal(before: string | null): Ending {
  if (before === null || BEFORE_ORDINALS.has(before)) return 'inside';
  return 'unless_small';
}

/** Whether the script has no spaces between sentences. */
export function isIdeograph(char: string): boolean {
  return char.charCodeAt(0) >= 0x2e80 && IDEOGRAPHS.test(char);
}
