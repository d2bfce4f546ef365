/** Longer sentences are spoken in parts: a part is about 20 s of speech, and its audio starts when it is complete. */
const MAX_PART_CHARS = 300;

const NAMED: Readonly<Record<string, string>> = {
  '&': ' and ',
  '#': ' number ',
  '°': ' degrees ',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '–': ' - ',
  '—': ', ',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
};

/**
 * The text in one line of ASCII, the only characters that flite can read: symbols by their names, letters without
 * their accents, `5½` as `5 1/2`, and nothing of other scripts.
 */
export function englishText(text: string): string {
  return text
    .replace(/€\s?(?<amount>\d+(?:[.,]\d+)*)/gu, '$<amount> euros ')
    .replace(/£\s?(?<amount>\d+(?:[.,]\d+)*)/gu, '$<amount> pounds ')
    .replace(/(?<=\p{L}{2})\.(?=\p{L}{2})/gu, ' dot ')
    .replace(/(?<=\p{N})(?=[¼½¾⅐-⅞])|(?<=[¼½¾⅐-⅞])(?=\p{L})/gu, ' ')
    .replace(/[^\p{L}\p{N}\s]|[ßæÆœŒøØłŁđĐ]/gu, (character) => NAMED[character] ?? character)
    .normalize('NFKD')
    .replace(/\u2044/g, '/')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]+|[<>*_^~|\\`[\]{}]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The text in parts of at most MAX_PART_CHARS, divided after punctuation or between words. None without a letter or digit. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > MAX_PART_CHARS) {
    const start = rest.slice(0, MAX_PART_CHARS);
    const afterPunctuation =
      Math.max(...['. ', '! ', '? ', '; ', ', '].map((mark) => start.lastIndexOf(mark))) + 1;
    const end = afterPunctuation > 0 ? afterPunctuation : start.lastIndexOf(' ');
    const cut = end > 0 ? end : MAX_PART_CHARS;
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...parts, rest].filter((part) => /[A-Za-z0-9]/.test(part));
}
