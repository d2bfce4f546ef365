const IDEOGRAPHS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;
const CHARS_PER_TOKEN = 4;

const MAX_SENTENCE_TOKENS = 160;
const MAX_SENTENCE_CHARS = MAX_SENTENCE_TOKENS * 4;

/** Splits all scripts. Without a locale, results would depend on `LANG`. */
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Splits a paragraph into sentences with trailing white space. Overlong sentences are split between words. */
export function sentencesOf(paragraph: string): string[] {
  const sentences: string[] = [];
  // Every line ends a sentence. Segmenting each on its own would take much memory.
  for (const { segment } of segmenter.segment(paragraph)) sentences.push(...cut(segment));
  const last = sentences.pop();
  return last === undefined ? [] : [...sentences, `${last.trimEnd()}\n\n`];
}

function cut(sentence: string): string[] {
  const parts: string[] = [];
  let rest = sentence;
  // Text of more than MAX_SENTENCE_CHARS has more than MAX_SENTENCE_TOKENS.
  while (estimateTokens(rest.slice(0, MAX_SENTENCE_CHARS + 1)) > MAX_SENTENCE_TOKENS) {
    let end = Math.min(rest.length, MAX_SENTENCE_CHARS);
    while (estimateTokens(rest.slice(0, end)) > MAX_SENTENCE_TOKENS) end = Math.floor(end / 2);
    const space = rest.lastIndexOf(' ', end - 1);
    if (space > end / 2) end = space + 1;
    // Not between the halves of a surrogate pair.
    else if (/[\uD800-\uDBFF]/u.test(rest.charAt(end - 1))) end += 1;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest === '' ? parts : [...parts, rest];
}

/** Approximate number of tokens for a language model. */
export function estimateTokens(text: string): number {
  const ideographs = text.match(IDEOGRAPHS)?.length ?? 0;
  return Math.ceil(ideographs + (text.length - ideographs) / CHARS_PER_TOKEN);
}
