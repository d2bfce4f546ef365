import { MAX_EXTRA_WAIT_MS } from '../ports/end-of-turn.ts';
import { languageOf, tokensOf } from '../turn/transcript/tokens.ts';
import { SENTENCE_WORDS, type SentenceWords } from './sentence-lists.ts';

/** Wait after a word that never ends a sentence, or if digits were announced. */
const OPEN_WAIT_MS = MAX_EXTRA_WAIT_MS;
/** Wait between the groups of a spoken number. */
const DIGITS_WAIT_MS = 1000;
/** Wait after a word that rarely ends a sentence, or after a comma. */
const LEANING_WAIT_MS = 640;

/**
 * Number of digits in a partial telephone number. Fewer are complete by themselves ("two"); more are a whole number.
 */
const DIGITS_OF_A_PART = { min: 3, max: 6 };

type Lists = Readonly<Record<keyof SentenceWords, readonly (readonly string[])[]>>;

const byLanguage = new Map<string, Lists>();

/**
 * How much longer to wait after this transcript, because a sentence or a spoken number is incomplete; 0 if it may be
 * complete. Missing punctuation is not evaluated, as not every STT provider adds it. Languages without lists are judged by
 * punctuation and digits alone.
 */
export function unfinishedWaitMs(text: string, languageHint: string | null): number {
  const lists = listsOf(languageHint);
  const tokens = tokensOf(text);
  const trailing = text.trimEnd();
  if (/[?？؟!！]["'”’»)]*$/u.test(trailing)) return 0;
  if (lists && (endsWith(tokens, lists.promises) || endsWith(tokens, lists.fillers))) return OPEN_WAIT_MS;
  if (isPartOfNumber(tokens, lists)) return DIGITS_WAIT_MS;
  // Alone, such a word is a response or was misrecognized.
  if (lists && tokens.length > 1 && endsWith(tokens, lists.open)) return OPEN_WAIT_MS;
  if (/(?:[,;:،、，；：–—-]|\.\.\.|…)$/u.test(trailing)) return LEANING_WAIT_MS;
  if (/[.。।]["'”’»)]*$/u.test(trailing)) return 0;
  if (!lists || tokens.length < 2 || beginsWith(tokens, lists.questions)) return 0;
  return endsWith(tokens, lists.leaning) ? LEANING_WAIT_MS : 0;
}

/**
 * Whether the transcript ends with digits, one by one or in groups, that are too few for a telephone number:
 * "five five five", "0 1 7 1", "555 12".
 */
function isPartOfNumber(tokens: readonly string[], lists: Lists | null): boolean {
  const groups: number[] = [];
  for (const token of tokens.toReversed()) {
    const length = /^\d+$/u.test(token) ? token.length : isDigitWord(token, lists) ? 1 : 0;
    if (length === 0) break;
    groups.push(length);
  }
  const digits = groups.reduce((sum, length) => sum + length, 0);
  return groups.length > 1 && digits >= DIGITS_OF_A_PART.min && digits <= DIGITS_OF_A_PART.max;
}

function isDigitWord(token: string, lists: Lists | null): boolean {
  return lists?.digits.some(([word]) => word === token) ?? false;
}

function endsWith(tokens: readonly string[], phrases: Lists[keyof Lists]): boolean {
  return phrases.some((phrase) => {
    const start = tokens.length - phrase.length;
    return start >= 0 && phrase.every((word, i) => tokens[start + i] === word);
  });
}

function beginsWith(tokens: readonly string[], phrases: Lists[keyof Lists]): boolean {
  return phrases.some((phrase) => phrase.every((word, i) => tokens[i] === word));
}

/** Without a hint, uses the English lists. */
function listsOf(languageHint: string | null): Lists | null {
  const tag = languageOf(languageHint) ?? 'en';
  const language = tag === 'no' || tag === 'nn' ? 'nb' : tag;
  const words = SENTENCE_WORDS[language];
  if (!words) return null;
  const known = byLanguage.get(language);
  if (known) return known;
  const parse = (list: string): readonly (readonly string[])[] => list.split(', ').map(tokensOf);
  const lists: Lists = {
    open: parse(words.open),
    leaning: parse(words.leaning),
    fillers: parse(words.fillers),
    questions: parse(words.questions),
    promises: parse(words.promises),
    digits: parse(words.digits),
  };
  byLanguage.set(language, lists);
  return lists;
}
