import { NOTHING, oneLine, type Block, type ExtractedText } from './extracted-text.ts';
import { paragraphs } from './read-plain-text.ts';

const FENCE = /^\s{0,3}(```|~~~)/u;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/u;

/** Detects headings by `#`; other text is unchanged. The title is the first heading. */
export function readMarkdown(text: string): ExtractedText {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const endText = (): void => {
    for (const paragraph of paragraphs(lines.join('\n'))) blocks.push({ kind: 'text', text: paragraph });
    lines = [];
  };
  for (const line of withoutFrontMatter(text).split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const heading = fence === undefined ? HEADING.exec(line) : null;
    const words = oneLine(heading?.[2]);
    if (!heading || words === null) {
      lines.push(line);
      continue;
    }
    endText();
    blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: words });
  }
  endText();
  const title = blocks.find((block) => block.kind === 'heading')?.text ?? null;
  return { ...NOTHING, title, blocks };
}

function withoutFrontMatter(text: string): string {
  return text.replace(/\r\n?/gu, '\n').replace(/^\uFEFF?---\n[\s\S]{0,20000}?\n---\n/u, '');
}
