import { posix } from 'node:path';
import type { Link, Page } from './page.ts';

/** URLs of the control-plane that pages may link to. */
const SERVED = new Set(['/', '/docs/api', '/api/schema/']);

export interface Problem {
  /** Path of the file relative to the root of the repository. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The path of the linked page in the docs folder; null for other links. */
export function linkedPage(from: string, file: string): string | null {
  if (file.startsWith('/')) return null;
  const path = file === '' ? from : posix.join(posix.dirname(from), file);
  return path.startsWith('..') || !path.endsWith('.md') ? null : path;
}

/** Links to missing pages and headings. Links to other sites are not checked. */
export function brokenLinks(pages: readonly Page[]): Problem[] {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  return pages.flatMap((page) =>
    page.links.flatMap((link) => {
      const text = problemOf(link, page.path, byPath);
      return text === null ? [] : [{ path: `docs/${page.path}`, line: link.line, text }];
    }),
  );
}

function problemOf({ file, anchor }: Link, from: string, byPath: ReadonlyMap<string, Page>): string | null {
  if (file.startsWith('/')) return SERVED.has(file) ? null : `nothing is served at ${file}`;
  const path = linkedPage(from, file);
  if (path === null) return null;
  const target = byPath.get(path);
  if (!target) return `no page at ${file}`;
  if (anchor === null || target.headings.some(({ slug }) => slug === anchor)) return null;
  return `no heading #${anchor} in docs/${path}`;
}
