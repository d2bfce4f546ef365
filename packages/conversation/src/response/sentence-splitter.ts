/** A piece of an answer: as the model wrote it, and as it is to be spoken. */
export interface SentencePiece {
  /** Part of the model's text, white space included: the pieces put together are the whole text. */
  raw: string;
  /** Without markdown, emoji and surplus white space. Never empty. */
  spoken: string;
}

/** A piece is cut at a comma or a space at the latest here, so that a model without full stops is heard in time. */
const MAX_PIECE_CHARS = 240;

const TERMINATORS = new Set(['.', '!', '?', '…', '\n', '。', '！', '？', '।', '؟', '۔']);
/** Scripts that put no space after a full stop. */
const FULL_WIDTH = new Set(['。', '！', '？', '।', '۔', '؟']);
const CLOSERS = new Set(['"', "'", '”', '’', ')', ']', '»', '」', '』', '*', '_']);

/** Words before a full stop that don't end a sentence, in lower case. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof sr jr st vs etc e.g i.e approx no nr dept est fig inc ltd co corp ave blvd ' +
    'bzw z.b d.h u.a ca evtl ggf usw tel str hr fr sog mme mlle m p.ex env sra srta ud uds pág ej dott sig ecc ' +
    'p.m a.m u.s u.k'
  ).split(' '),
);

/**
 * Cuts a model's stream into pieces that a voice can speak one by one. Full stops in numbers, abbreviations, initials
 * and URLs don't cut. Fed with text as it arrives; whatever may still belong to the sentence stays inside.
 */
export class SentenceSplitter {
  #buffer = '';
  #unspoken = '';

  push(text: string): SentencePiece[] {
    this.#buffer += text;
    const pieces: SentencePiece[] = [];
    for (let end = findCut(this.#buffer); end > 0; end = findCut(this.#buffer)) {
      const piece = this.#take(end);
      if (piece) pieces.push(piece);
    }
    return pieces;
  }

  /** What is left at the end of the text. */
  flush(): SentencePiece[] {
    const piece = this.#take(this.#buffer.length);
    return piece ? [piece] : [];
  }

  #take(end: number): SentencePiece | null {
    const raw = this.#unspoken + this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end);
    const spoken = speakable(raw);
    // What can't be spoken alone (an emoji, a bullet) goes with what follows.
    this.#unspoken = spoken === '' ? raw : '';
    return spoken === '' ? null : { raw, spoken };
  }
}

/** Index after the first complete piece in `text`, its trailing white space included; 0 while there is none. */
function findCut(text: string): number {
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (!TERMINATORS.has(char)) continue;
    let end = i + 1;
    while (end < text.length && (TERMINATORS.has(text.charAt(end)) || CLOSERS.has(text.charAt(end))))
      end += 1;
    if (end === text.length && !FULL_WIDTH.has(char) && char !== '\n') return longCut(text);
    const spaced = /\s/u.test(text.charAt(end));
    if (!spaced && !FULL_WIDTH.has(char) && char !== '\n') continue;
    if (char === '.' && !endsSentence(text, i)) continue;
    let after = end;
    while (after < text.length && /\s/u.test(text.charAt(after))) after += 1;
    return after;
  }
  return longCut(text);
}

function longCut(text: string): number {
  if (text.length <= MAX_PIECE_CHARS) return 0;
  const window = text.slice(0, MAX_PIECE_CHARS);
  const clause = Math.max(window.lastIndexOf(', '), window.lastIndexOf('; '), window.lastIndexOf(': '));
  if (clause > MAX_PIECE_CHARS / 3) return clause + 2;
  const space = window.lastIndexOf(' ');
  return space > 0 ? space + 1 : MAX_PIECE_CHARS;
}

/** Whether the full stop at `dot` ends a sentence. No look-ahead: waiting for the next word would delay the voice. */
function endsSentence(text: string, dot: number): boolean {
  const word = /[\p{L}\p{N}.]*$/u.exec(text.slice(0, dot))?.[0] ?? '';
  if (ABBREVIATIONS.has(word.toLowerCase())) return false;
  // Initials: "J. S. Bach".
  if (/^\p{Lu}$/u.test(word)) return false;
  // A list number at the start of a line: "1. First".
  return !(/^\d{1,2}$/u.test(word) && /(?:^|\n)\s*\d{1,2}$/u.test(text.slice(0, dot)));
}

/** Text as a voice should get it: no markdown marks, no emoji, links by their words. */
export function speakable(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/gu, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+•])\s+/gmu, '')
    .replace(/(\*\*|__|~~|`)(.*?)\1/gu, '$2')
    .replace(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=[\s).,!?;:]|$)/gu, '$1$2')
    .replace(/[*`~#|]+/gu, ' ')
    .replace(
      /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u{FE0F}|\u{200D}|\u{20E3}/gu,
      ' ',
    )
    .replace(/\s+/gu, ' ')
    .replace(/ ([.,!?;:])/gu, '$1')
    .trim()
    .replace(/^[.,;:!?…\s]+$/u, '');
}
