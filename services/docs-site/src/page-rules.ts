import type { Configuration } from 'markdownlint';
import { lint } from 'markdownlint/promise';
import type { Problem } from './links.ts';
import { unreachablePages } from './navigation.ts';
import { plainText, type Page } from './page.ts';

const MAX_LINE = 120;
const MAX_CELL = 80;

/** Rules that oxfmt does not enforce. A line with only a link may be longer, because it cannot be broken. */
const RULES: Configuration = {
  default: false,
  'line-length': { line_length: MAX_LINE, code_blocks: false, stern: true },
  'heading-increment': true,
  'single-title': { front_matter_title: '' },
  'no-duplicate-heading': true,
  'no-emphasis-as-heading': true,
  'no-empty-links': true,
  'no-reversed-links': true,
  'reference-links-images': true,
  'table-column-count': true,
};

/** Problems with the form of the pages: line and cell length, headings, introduction, place in the navigation. */
export async function pageProblems(pages: readonly Page[]): Promise<Problem[]> {
  const strings = Object.fromEntries(pages.map(({ path, source }) => [path, source]));
  const found = await lint({ strings, config: RULES });
  const linted = Object.entries(found).flatMap(([path, errors]) =>
    errors.map(({ lineNumber, ruleDescription, errorDetail }) => ({
      path: `docs/${path}`,
      line: lineNumber,
      text: [ruleDescription, ...(errorDetail === null ? [] : [errorDetail])].join(': '),
    })),
  );
  const unreachable = unreachablePages(pages).map(({ path }) => ({
    path: `docs/${path}`,
    line: 1,
    text: 'its folder is not in the navigation (services/docs-site/src/navigation.ts)',
  }));
  return [...linted, ...pages.flatMap(cellProblems), ...pages.flatMap(introductionProblems), ...unreachable];
}

function cellProblems({ path, tokens, skippedLines }: Page): Problem[] {
  let line = 0;
  return tokens.flatMap((token, i) => {
    // Cell tokens have no position.
    if (token.type === 'tr_open') line = skippedLines + (token.map?.[0] ?? 0) + 1;
    const isCell = token.type === 'td_open' || token.type === 'th_open';
    const characters = isCell ? plainText(tokens[i + 1]).length : 0;
    if (characters <= MAX_CELL) return [];
    return [
      { path: `docs/${path}`, line, text: `table cell has ${characters} characters, limit ${MAX_CELL}` },
    ];
  });
}

/** A page must start with its title and a paragraph about its purpose. */
function introductionProblems({ path, tokens, skippedLines }: Page): Problem[] {
  const begins = tokens[0]?.tag === 'h1' && tokens[3]?.type === 'paragraph_open';
  if (begins) return [];
  const text = 'must begin with a title (# …) and a paragraph that says what the page is for';
  return [{ path: `docs/${path}`, line: skippedLines + 1, text }];
}
