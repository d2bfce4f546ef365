import { posix } from 'node:path';
import type { Page } from './page.ts';

/** The folders of the documentation, in sidebar order. */
const SECTIONS = ['concepts', 'guides', 'reference', 'internals', 'decisions'] as const;

export interface NavigationGroup {
  /** Null for pages without a folder. */
  readonly title: string | null;
  readonly pages: readonly Page[];
  /** Subfolders. */
  readonly groups: readonly NavigationGroup[];
}

/** The content of the sidebar. */
export function navigationOf(pages: readonly Page[]): readonly NavigationGroup[] {
  const top: NavigationGroup = { title: null, pages: pagesIn('.', pages), groups: [] };
  return [top, ...SECTIONS.map((name) => groupOf(name, pages))].filter(
    (group) => group.pages.length + group.groups.length > 0,
  );
}

/** Pages in folders that the sidebar does not show. */
export function unreachablePages(pages: readonly Page[]): readonly Page[] {
  const shown = new Set(navigationOf(pages).flatMap(allPages));
  return pages.filter((page) => !shown.has(page));
}

function allPages({ pages, groups }: NavigationGroup): Page[] {
  return [...pages, ...groups.flatMap(allPages)];
}

function groupOf(folder: string, pages: readonly Page[]): NavigationGroup {
  const below = pages.map(({ path }) => posix.dirname(path)).filter((each) => posix.dirname(each) === folder);
  const name = posix.basename(folder);
  return {
    title: `${name[0]?.toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`,
    pages: pagesIn(folder, pages),
    groups: [...new Set(below)].sort().map((each) => groupOf(each, pages)),
  };
}

function pagesIn(folder: string, pages: readonly Page[]): Page[] {
  return pages
    .filter(({ path }) => posix.dirname(path) === folder)
    .sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

/** Puts the index page of a folder first. The rank is finite, so that ranks can be subtracted. */
function rank({ path, order }: Page): number {
  return posix.basename(path) === 'index.md' ? -1 : Math.min(order, Number.MAX_SAFE_INTEGER);
}
