import { BACKCHANNELS, COMMON_BACKCHANNELS } from './backchannel-lists.ts';
import { languageOf, tokensOf } from './tokens.ts';

/** A phrase as tokens. */
type Phrase = readonly string[];

interface Phrases {
  all: readonly Phrase[];
  byFirst: ReadonlyMap<string, readonly Phrase[]>;
}

/** Longer utterances are not backchannels. */
const MAX_TOKENS = 8;

const byLanguage = new Map<string, Phrases>();

/**
 * Whether the text consists of backchannels only ("mm-hm", "okay, right"). English phrases count in every
 * language, all languages if the language is unknown. Questions never count.
 */
export function isBackchannel(text: string, languageHint: string | null): boolean {
  if (/[?？؟]\s*$/u.test(text)) return false;
  const tokens = spoken(text);
  return tokens.length > 0 && tokens.length <= MAX_TOKENS && covers(phrasesOf(languageHint), tokens, false);
}

/**
 * Whether the text may become a backchannel with more words; its last word may be incomplete ("oka", "i",
 * "all").
 */
export function mayBeBackchannel(text: string, languageHint: string | null): boolean {
  const tokens = spoken(text);
  return tokens.length <= MAX_TOKENS && covers(phrasesOf(languageHint), tokens, true);
}

function covers(phrases: Phrases, tokens: readonly string[], cut: boolean): boolean {
  const [first] = tokens;
  if (first === undefined) return true;
  if (cut && phrases.all.some((phrase) => beginsLike(phrase, tokens))) return true;
  const candidates = phrases.byFirst.get(first) ?? [];
  return candidates.some(
    (phrase) =>
      phrase.length <= tokens.length &&
      phrase.every((token, i) => token === tokens[i]) &&
      covers(phrases, tokens.slice(phrase.length), cut),
  );
}

function beginsLike(phrase: Phrase, tokens: readonly string[]): boolean {
  const last = tokens.length - 1;
  return (
    tokens.length <= phrase.length &&
    tokens.every((token, i) => (i === last ? (phrase[i] ?? '').startsWith(token) : phrase[i] === token))
  );
}

function phrasesOf(languageHint: string | null): Phrases {
  const language = languageOf(languageHint);
  const key = language === null ? 'all' : listed(language);
  const known = byLanguage.get(key);
  if (known) return known;
  const lists = key === 'all' ? Object.values(BACKCHANNELS) : [BACKCHANNELS['en'], BACKCHANNELS[key]];
  const all = [COMMON_BACKCHANNELS, ...lists].flatMap((list) => (list ?? '').split(', ').map(spoken));
  const phrases = { all, byFirst: Map.groupBy(all, ([first]) => first ?? '') };
  byLanguage.set(key, phrases);
  return phrases;
}

function listed(language: string): string {
  if (language === 'no' || language === 'nn') return 'nb';
  return BACKCHANNELS[language] === undefined ? 'en' : language;
}

/** Reduces repeated letters: "mmm", "hmm", "yeahhh", "sooo". */
function spoken(text: string): string[] {
  return tokensOf(text).map((token) => token.replace(/(\p{L})\1+/gu, '$1'));
}
