/**
 * Splits text into lower-case words without punctuation. Hyphens separate words ("mm-hm" is two); in scripts
 * without spaces each character is a word.
 */
export function tokensOf(text: string): string[] {
  const plain = text.normalize('NFC').replaceAll('’', "'").toLowerCase();
  return plain.match(TOKEN) ?? [];
}

const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*'?/gu;

/** Whether two transcripts differ in case and punctuation only, except for question marks. */
export function haveSameWords(first: string, second: string): boolean {
  return first === second || comparable(first) === comparable(second);
}

function comparable(text: string): string {
  return [...tokensOf(text), ...(text.match(/[?？؟]/gu) ?? [])].join(' ');
}

/** The primary subtag of a BCP 47 tag, in lower case. */
export function languageOf(languageHint: string | null): string | null {
  return languageHint?.split('-', 1)[0]?.toLowerCase() ?? null;
}
