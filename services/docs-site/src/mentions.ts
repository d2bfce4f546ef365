import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Problem } from './links.ts';
import { parsePage, type Page } from './page.ts';

/** Files that may mention a page: code, comments, deployment files, other Markdown. */
const FILES = [
  '*.{md,json,yml}',
  '.env.example',
  '{packages,services,scripts,tests,deploy,examples}/**/*.{ts,tsx,mjs,md,yaml,yml,json}',
];
const FOREIGN = new Set(['node_modules', 'dist', 'dist-types', 'generated', '.data']);
/** The path of a page from the root, with an optional anchor, but not in the URL of another site. */
const MENTION = /(?<![\w-]\/|[\w-])docs\/(?<path>[\w/-]+\.md)(?:#(?<anchor>[\w-]+))?/gu;

/** Mentions of missing pages and headings in files outside `docs/`, and broken links in their Markdown. */
export function mentionProblems(root: string, pages: readonly Page[]): Problem[] {
  const anchors = new Map(pages.map(({ path, headings }) => [path, headings.map(({ slug }) => slug)]));
  const paths = globSync(FILES, { cwd: root, exclude: (path) => FOREIGN.has(posix.basename(path)) });
  return paths.sort().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const mentioned = [...text.matchAll(MENTION)].flatMap(({ groups = {}, index }) => {
      const known = anchors.get(groups['path'] ?? '');
      const anchor = groups['anchor'];
      if (known && (anchor === undefined || known.includes(anchor))) return [];
      const line = text.slice(0, index).split('\n').length;
      return [
        {
          path,
          line,
          text: `names docs/${groups['path']}${anchor ? `#${anchor}` : ''}, which does not exist`,
        },
      ];
    });
    return path.endsWith('.md')
      ? [...mentioned, ...fileLinkProblems(root, path, parsePage(path, text))]
      : mentioned;
  });
}

/** Links of a Markdown file, given by its path from the root, to missing files of the repository. */
export function fileLinkProblems(root: string, path: string, { links }: Page): Problem[] {
  return links.flatMap(({ file, line }) => {
    if (file === '' || file.startsWith('/')) return [];
    const target = posix.join(posix.dirname(path), file);
    if (!target.startsWith('..') && existsSync(join(root, target))) return [];
    return [{ path, line, text: `no file at ${file}` }];
  });
}
