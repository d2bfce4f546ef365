import type { Block } from '../extraction/extracted-text.ts';
import { estimateTokens, sentencesOf } from './sentences.ts';

export interface Chunk {
  /** The headings above it, outermost first. */
  heading: string;
  content: string;
}

export const MAX_CHUNK_TOKENS = 320;
/** Maximum overlap: whole sentences at the end of a passage that the next one repeats. */
const OVERLAP_TOKENS = 48;
const MAX_HEADING_CHARS = 300;

interface Section {
  level: number;
  heading: string;
  /** Whether there is text under it. */
  isUsed: boolean;
}

/**
 * Splits a document into self-contained passages of a few hundred tokens: whole sentences, within one section, slightly
 * overlapping. Returns at most `maxChunks` passages; the rest of the document is dropped.
 */
export function chunkText(blocks: readonly Block[], maxChunks: number): Chunk[] {
  const chunks: Chunk[] = [];
  const sections: Section[] = [];
  let pending: string[] = [];

  const heading = (): string => {
    const path = sections.map((section) => section.heading).join(' > ');
    return path.length <= MAX_HEADING_CHARS ? path : path.slice(-MAX_HEADING_CHARS);
  };
  const endText = (): void => {
    for (const content of pack(pending)) chunks.push({ heading: heading(), content });
    pending = [];
  };
  const leaveTo = (level: number): void => {
    endText();
    for (let last = sections.at(-1); last && last.level >= level; last = sections.at(-1)) {
      sections.pop();
      if (!last.isUsed) chunks.push({ heading: heading(), content: last.heading });
    }
  };
  for (const block of blocks) {
    if (chunks.length >= maxChunks) break;
    if (block.text.trim() === '') continue;
    // Text of this length is not a heading.
    const isText = block.kind === 'text' || block.text.length > MAX_HEADING_CHARS;
    for (const section of sections) section.isUsed ||= isText || block.level > section.level;
    if (isText) {
      pending.push(withoutFill(block.text));
      continue;
    }
    leaveTo(block.level);
    sections.push({ level: block.level, heading: block.text, isUsed: false });
  }
  leaveTo(0);
  return chunks.slice(0, maxChunks);
}

/** Combines paragraphs to passages. */
function pack(paragraphs: readonly string[]): string[] {
  const passages: string[] = [];
  let open: { text: string; tokens: number }[] = [];
  let tokens = 0;
  /** The part of `open` that repeats the previous passage. */
  let repeated = 0;
  const end = (): void => {
    if (open.length > repeated)
      passages.push(
        open
          .map(({ text }) => text)
          .join('')
          .trim(),
      );
  };
  for (const text of paragraphs.flatMap(sentencesOf)) {
    const more = estimateTokens(text);
    if (tokens + more > MAX_CHUNK_TOKENS && open.length > repeated) {
      end();
      open = tailOf(open, MAX_CHUNK_TOKENS - more);
      tokens = open.reduce((sum, sentence) => sum + sentence.tokens, 0);
      repeated = open.length;
    }
    open.push({ text, tokens: more });
    tokens += more;
  }
  end();
  return passages;
}

function tailOf<T extends { tokens: number }>(sentences: readonly T[], roomTokens: number): T[] {
  const limit = Math.min(OVERLAP_TOKENS, roomTokens);
  let tokens = 0;
  let start = sentences.length;
  for (; start > 1; start -= 1) {
    tokens += sentences[start - 1]?.tokens ?? 0;
    if (tokens > limit) break;
  }
  return sentences.slice(start);
}

/** Removes column padding and line breaks within sentences. */
function withoutFill(text: string): string {
  return text
    .replace(/(?<=[\p{L},;])\n(?=\p{Ll})/gu, ' ')
    .replace(/(?<=\S)[^\S\n]{2,}/gu, ' ')
    .replace(/([-=_.*])\1{4,}/gu, '$1$1$1');
}
