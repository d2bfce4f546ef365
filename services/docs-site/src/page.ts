import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';

export interface Heading {
  readonly level: number;
  readonly text: string;
  /** The anchor, generated like GitHub's. */
  readonly slug: string;
}

export interface Link {
  /** The link target without the part after `#`; empty for a heading of the same page. */
  readonly file: string;
  readonly anchor: string | null;
  readonly line: number;
}

export interface Page {
  /** Relative to the docs folder, with forward slashes: `guides/tools.md`. */
  readonly path: string;
  readonly source: string;
  /** Number of front matter lines before the first token. */
  readonly skippedLines: number;
  readonly title: string;
  /** Position in its folder, from the front matter. Pages without one follow in path order. */
  readonly order: number;
  readonly tokens: readonly Token[];
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
}

const FRONT_MATTER = /^---\n(?<fields>.*?)\n---\n/su;
const EXTERNAL = /^[a-z][a-z+.-]*:/iu;

export const markdown = new MarkdownIt({ html: false });

/** `adapt` changes the text of a page before it is parsed. */
export async function readPages(
  folder: string,
  adapt: (source: string) => string = (source) => source,
): Promise<readonly Page[]> {
  const paths = globSync('**/*.md', { cwd: folder }).sort();
  return Promise.all(
    paths.map(async (path) => parsePage(path, adapt(await readFile(join(folder, path), 'utf8')))),
  );
}

export function parsePage(path: string, source: string): Page {
  const [whole = '', fields = ''] = FRONT_MATTER.exec(source) ?? [];
  const order = /^order: (?<order>\d+)$/mu.exec(fields)?.groups?.['order'];
  const tokens = markdown.parse(source.slice(whole.length), {});
  const skippedLines = whole.split('\n').length - 1;
  const headings = headingsOf(tokens);
  return {
    path,
    source,
    skippedLines,
    title: headings[0]?.text ?? path,
    order: order === undefined ? Number.POSITIVE_INFINITY : Number(order),
    tokens,
    headings,
    links: linksOf(tokens, skippedLines),
  };
}

function headingsOf(tokens: readonly Token[]): Heading[] {
  const uses = new Map<string, number>();
  return tokens.flatMap((token, i) => {
    if (token.type !== 'heading_open') return [];
    const text = plainText(tokens[i + 1]);
    const base = slugOf(text);
    const used = uses.get(base) ?? 0;
    uses.set(base, used + 1);
    return [{ level: Number(token.tag.slice(1)), text, slug: used === 0 ? base : `${base}-${used}` }];
  });
}

/** The visible text of inline content. */
export function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/gu, '-');
}

function linksOf(tokens: readonly Token[], skippedLines: number): Link[] {
  return tokens.flatMap(({ children, map }) =>
    (children ?? []).flatMap((child) => {
      const target = child.type === 'link_open' ? targetOf(child) : '';
      if (target === '' || EXTERNAL.test(target)) return [];
      const [file = '', anchor] = decodeURI(target).split('#', 2);
      return [{ file, anchor: anchor ?? null, line: skippedLines + (map?.[0] ?? 0) + 1 }];
    }),
  );
}

/** The link target as written. */
export function targetOf(link: Token): string {
  return String(link.attrGet('href') ?? '');
}
