import { posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { linkedPage } from './links.ts';
import type { NavigationGroup } from './navigation.ts';
import { markdown, targetOf, type Page } from './page.ts';

/** Base path of the site. */
const BASE = '/docs/';

const { escapeHtml } = new MarkdownIt().utils;

/** The URL of a page: without `.md`; for `index.md`, that of its folder. */
export function addressOf(path: string): string {
  return `${BASE}${path.replace(/(?<=^|\/)index\.md$|\.md$/u, '')}`;
}

/** A complete page of the site. */
export function renderPage(page: Page, navigation: readonly NavigationGroup[]): string {
  return renderDocument({
    title: page.title,
    navigation: navigation.map((group) => renderGroup(group, page)).join('\n'),
    article: renderArticle(page),
    contents: renderContents(page),
  });
}

/** The page for missing pages. */
export function renderNotFound(navigation: readonly NavigationGroup[]): string {
  return renderDocument({
    title: 'Page not found',
    navigation: navigation.map((group) => renderGroup(group, null)).join('\n'),
    article: `<h1>Page not found</h1><p>Search for it above, or begin with the <a href="${BASE}">overview</a>.</p>`,
    contents: '',
  });
}

interface DocumentParts {
  title: string;
  navigation: string;
  article: string;
  contents: string;
}

function renderDocument({ title, navigation, article, contents }: DocumentParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Calls</title>
<link rel="icon" href="${BASE}assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${BASE}assets/site.css">
<script src="${BASE}assets/theme.js"></script>
<script type="module" src="${BASE}assets/search.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${BASE}">Calls documentation</a>
<div class="search" role="search">
<input type="search" id="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off">
<ol id="results" hidden></ol>
</div>
<nav aria-label="Service"><a class="to-pages" href="#pages">Pages</a> <a href="${BASE}api">API reference</a> <a href="/">Console</a></nav>
<button type="button" id="theme" hidden>Dark</button>
</header>
<div class="columns">
<nav class="sidebar" id="pages" aria-label="Pages">
${navigation}
</nav>
<main id="content">
${article}
</main>
<aside>${contents}</aside>
</div>
</body>
</html>
`;
}

function renderGroup({ title, pages, groups }: NavigationGroup, current: Page | null): string {
  const items = pages.map((page) => {
    const mark = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${addressOf(page.path)}"${mark}>${escapeHtml(page.title)}</a></li>`;
  });
  const list = `<ul>${items.join('')}${groups.map((group) => `<li>${renderGroup(group, current)}</li>`).join('')}</ul>`;
  if (title === null) return list;
  const open = holds({ title, pages, groups }, current) ? ' open' : '';
  return `<details${open}><summary>${escapeHtml(title)}</summary>${list}</details>`;
}

function holds({ pages, groups }: NavigationGroup, page: Page | null): boolean {
  return page !== null && (pages.includes(page) || groups.some((group) => holds(group, page)));
}

/** Lists the second-level headings if there are several. */
function renderContents({ headings }: Page): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ slug, text }) => `<li><a href="#${slug}">${escapeHtml(text)}</a></li>`);
  return `<nav aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function renderArticle(page: Page): string {
  const slugs = page.headings.map(({ slug }) => slug);
  const tokens = page.tokens.map((token) => {
    if (token.type === 'heading_open') token.attrSet('id', slugs.shift() ?? '');
    if (token.children) adaptLinks(token.children, page.path);
    return token;
  });
  const html = markdown.renderer.render(tokens, markdown.options, {});
  // Makes wide tables scroll separately from the page.
  return html.replaceAll('<table>', '<div class="table"><table>').replaceAll('</table>', '</table></div>');
}

/** Replaces links to pages by their URLs. Links to files of the repository, which are not served, become tooltips. */
function adaptLinks(tokens: readonly Token[], from: string): void {
  let isFile = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isFile = adaptLink(token, from);
    if (token.type === 'link_close' && isFile) {
      token.tag = 'span';
      isFile = false;
    }
  }
}

/** Returns whether the link leads to a file of the repository. */
function adaptLink(token: Token, from: string): boolean {
  const href = targetOf(token);
  if (/^(?:[a-z][a-z+.-]*:|\/|#)/iu.test(href)) return false;
  const [file = '', anchor] = href.split('#', 2);
  const path = linkedPage(from, file);
  if (path === null) {
    token.tag = 'span';
    token.attrs = [
      ['class', 'file'],
      ['title', posix.join('docs', posix.dirname(from), file)],
    ];
    return true;
  }
  token.attrSet('href', `${addressOf(path)}${anchor === undefined ? '' : `#${anchor}`}`);
  return false;
}
