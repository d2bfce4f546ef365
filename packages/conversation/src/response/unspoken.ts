const PICTOGRAPH =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u2300-\u23FF\u2500-\u27BF\u2B00-\u2BFF]/u;
/** Zero-width joiners belong to words of Indic scripts; they are unspoken only after a pictograph. */
const ATTACHED = /[\uFE0E\uFE0F\u20E3\u{E0020}-\u{E007F}]/u;
const INVISIBLE = /[\u00AD\u200B\u2060\uFEFF]/u;
const MARKS_OF_SENTENCES = new Set(['‼', '⁉', '〰']);

export type SpeechClass = 'spoken' | 'pictograph' | 'attached' | 'invisible';

/** Classifies `char`, one code point beyond ASCII. */
export function speechClassOf(char: string): SpeechClass {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x2000) return code === 0xad || code === 0xa9 || code === 0xae ? 'invisible' : 'spoken';
  if (MARKS_OF_SENTENCES.has(char)) return 'spoken';
  if (ATTACHED.test(char)) return 'attached';
  if (INVISIBLE.test(char)) return 'invisible';
  return PICTOGRAPH.test(char) ? 'pictograph' : 'spoken';
}

const BLOCK_TAGS = /^(?:br|p|div|li|ul|ol|tr|table|h[1-6]|hr|blockquote|pre|section|article)$/u;
const INLINE_TAGS =
  /^(?:a|abbr|b|big|body|code|del|em|emphasis|font|head|html|i|img|ins|kbd|mark|q|s|script|small|span|speak|strike|strong|style|sub|sup|tbody|thead|tt|u|voice|break|prosody)$/u;
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\S+|[^\s@]+@[^\s@]+)$/iu;

export type Tag = 'block' | 'cell' | 'inline' | 'address' | 'words';

/** Classifies the content between `<` and `>`. */
export function tagOf(content: string): Tag {
  if (content.startsWith('!')) return 'inline';
  if (ADDRESS.test(content)) return 'address';
  const name = /^\/?([a-z][a-z0-9_:-]*)(?=[\s/]|$)/iu.exec(content)?.[1]?.toLowerCase();
  if (name === undefined) return 'words';
  if (BLOCK_TAGS.test(name)) return 'block';
  if (name === 'td' || name === 'th') return 'cell';
  return INLINE_TAGS.test(name) || !/\s/u.test(content) || content.includes('=') ? 'inline' : 'words';
}
