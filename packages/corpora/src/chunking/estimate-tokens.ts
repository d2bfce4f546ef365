const IDEOGRAPHS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;
const CHARS_PER_TOKEN = 4;

/** About as many tokens as language models make of it. */
export function estimateTokens(text: string): number {
  const ideographs = text.match(IDEOGRAPHS)?.length ?? 0;
  return Math.ceil(ideographs + (text.length - ideographs) / CHARS_PER_TOKEN);
}
