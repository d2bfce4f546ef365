import { isoDate, NOTHING, oneLine, type Block, type ExtractedText } from './extracted-text.ts';

interface Line {
  text: string;
  /** Font height in points. */
  height: number;
}

/** A short line is a heading if its font is larger than the page's usual one by this factor. */
const HEADING_RATIO = 1.2;
const MAX_HEADING_CHARS = 120;

/** Extracts text in drawing order; lines in larger fonts are headings. */
export async function readPdf(bytes: Uint8Array): Promise<ExtractedText> {
  const { getDocumentProxy } = await import('unpdf');
  const opening = getDocumentProxy(new Uint8Array(bytes), { stopAtErrors: false, verbosity: 0 });
  const document = await opening.catch((cause: unknown) => {
    const hasPassword = cause instanceof Error && cause.name === 'PasswordException';
    throw new Error(
      hasPassword ? 'it has a password; remove the password' : 'it is not a PDF file, or is damaged',
      { cause },
    );
  });
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const said = info as { Title?: unknown; Subject?: unknown; Language?: unknown; CreationDate?: unknown };
  const pages: Line[][] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const content = await page.getTextContent();
    pages.push(linesOf(content.items.filter((item) => 'str' in item)));
    page.cleanup();
  }
  return {
    ...NOTHING,
    title: text(said.Title),
    language: text(said.Language),
    description: text(said.Subject),
    published: pdfDate(text(said.CreationDate)),
    blocks: blocksOf(pages),
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? oneLine(value) : null;
}

/** `D:20250208122313Z`; the later parts are optional. */
function pdfDate(date: string | null): string | null {
  const parts = /^D:(\d{4})(\d{2})?(\d{2})?/u.exec(date ?? '');
  return parts ? isoDate(`${parts[1]}-${parts[2] ?? '01'}-${parts[3] ?? '01'}`) : null;
}

function linesOf(items: readonly { str: string; height: number; hasEOL: boolean }[]): Line[] {
  const lines: Line[] = [];
  let line: Line = { text: '', height: 0 };
  for (const { str, height, hasEOL } of items) {
    line.text += str;
    line.height = Math.max(line.height, height);
    if (!hasEOL) continue;
    lines.push(line);
    line = { text: '', height: 0 };
  }
  lines.push(line);
  return lines;
}

function blocksOf(pages: readonly Line[][]): Block[] {
  const lines = pages.flat();
  const usual = usualHeight(lines);
  const larger = [...new Set(lines.map(({ height }) => Math.round(height)))]
    .filter((height) => height >= usual * HEADING_RATIO)
    .sort((a, b) => b - a);
  const blocks: Block[] = [];
  let paragraph = '';
  const endParagraph = (): void => {
    if (paragraph.trim() !== '') blocks.push({ kind: 'text', text: paragraph.trim() });
    paragraph = '';
  };
  for (const page of pages) {
    for (const { text: words, height } of page) {
      const rank = larger.indexOf(Math.round(height));
      const line = oneLine(words);
      if (line === null) endParagraph();
      else if (rank >= 0 && line.length <= MAX_HEADING_CHARS) {
        endParagraph();
        blocks.push({ kind: 'heading', level: Math.min(rank + 1, 6), text: line });
      } else paragraph = joined(paragraph, line);
    }
    endParagraph();
  }
  return blocks;
}

/** Joins words that were hyphenated at the end of a line. */
function joined(paragraph: string, line: string): string {
  if (/\p{Ll}-$/u.test(paragraph) && /^\p{Ll}/u.test(line)) return paragraph.slice(0, -1) + line;
  return paragraph === '' ? line : `${paragraph} ${line}`;
}

/** The font height of most letters. */
function usualHeight(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { text: words, height } of lines) {
    const rounded = Math.round(height);
    letters.set(rounded, (letters.get(rounded) ?? 0) + words.length);
  }
  const [most] = [...letters].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? 0;
}
