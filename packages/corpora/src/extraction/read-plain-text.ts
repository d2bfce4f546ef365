import { NOTHING, type ExtractedText } from './extracted-text.ts';

/** Empty lines separate paragraphs. */
export function readPlainText(text: string): ExtractedText {
  return { ...NOTHING, blocks: paragraphs(text).map((paragraph) => ({ kind: 'text', text: paragraph })) };
}

export function paragraphs(text: string): string[] {
  return text
    .replace(/\r\n?/gu, '\n')
    .split(/\n[^\S\n]*\n\s*/u)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}

/** Each row becomes a line; the column names are the heading of every passage. */
export function readCsv(text: string): ExtractedText {
  const [names = '', ...rows] = text
    .replace(/\r\n?/gu, '\n')
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (rows.length === 0) return readPlainText(names);
  return {
    ...NOTHING,
    blocks: [
      { kind: 'heading', level: 1, text: names.slice(0, 500) },
      { kind: 'text', text: rows.join('\n') },
    ],
  };
}
