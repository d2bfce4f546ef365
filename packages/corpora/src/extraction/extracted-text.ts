/** A piece of a document in reading order: a heading with its rank (1 is the highest), or a paragraph. */
export type Block = { kind: 'heading'; level: number; text: string } | { kind: 'text'; text: string };

/** What a reader of one format finds in a document. */
export interface ExtractedText {
  title: string | null;
  /** As the document says: a BCP 47 tag; null where it doesn't. */
  language: string | null;
  description: string | null;
  /** ISO 8601. */
  published: string | null;
  blocks: Block[];
  /** Of a web page: absolute URLs, as they stand there. */
  links: string[];
  /** A web page that wants to be in no index. */
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

/** One line, or null where there is nothing in it. */
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
