/** A block of a document in reading order: a heading with its level (1 is the highest), or a paragraph. */
export type Block = { kind: 'heading'; level: number; text: string } | { kind: 'text'; text: string };

/** The result of a reader of one format. */
export interface ExtractedText {
  title: string | null;
  /** BCP 47 tag from the document; null if it has none. */
  language: string | null;
  description: string | null;
  /** ISO 8601. */
  published: string | null;
  blocks: Block[];
  /** For web pages: absolute URLs as written. */
  links: string[];
  /** Whether a web page asks not to be indexed. */
  noIndex: boolean;
}

export const NOTHING: Omit<ExtractedText, 'blocks'> = {
  title: null,
  language: null,
  description: null,
  published: null,
  links: [],
  noIndex: false,
};

/** Collapses white space to one line; null if nothing is left. */
export function oneLine(text: string | null | undefined): string | null {
  const line = (text ?? '').replace(/\s+/gu, ' ').trim();
  return line === '' ? null : line;
}

export function isoDate(text: string | null | undefined): string | null {
  if (!text) return null;
  const ms = Date.parse(text);
  const year = new Date(ms).getUTCFullYear();
  return year >= 1 && year <= 9999 ? new Date(ms).toISOString() : null;
}
