import { existsSync, globSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Problem } from './links.ts';
import { markdown, type Page } from './page.ts';

/** Generated folders, whose files are not checked. */
const MADE = new Set(['node_modules']);
const TESTS = '{packages,services,tests,scripts}/**/*.test.{ts,tsx,mjs}';
/** `Tests: 'a', 'b'`, each in backticks. */
const TEST_NAMES = /\bTests?:\s(?<names>`[^`]+`(?:,\s`[^`]+`)*)/gu;
/** Start of the non-literal part of a path: `packages/<name>`, `tests/**`, `{a,b}`, `…`. */
const PLACEHOLDER = /[<{*…$]/u;

/** Files and tests that pages mention in code spans and that do not exist. */
export function namedFileProblems(root: string, pages: readonly Page[]): Problem[] {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !MADE.has(entry.name))
    .map(({ name }) => name);
  const tests = globSync(TESTS, { cwd: root, exclude: (path) => MADE.has(posix.basename(path)) });
  return pages.flatMap((page) =>
    paragraphsOf(page).flatMap(({ line, text, codeSpans }) => {
      const paths = codeSpans.filter((code) => isPath(code, folders) && !exists(root, code));
      const names = [...text.matchAll(TEST_NAMES)].flatMap(({ groups }) => codeIn(groups?.['names'] ?? ''));
      const unknown = names.filter((name) => !tests.some((path) => path.includes(name)));
      return [
        ...paths.map((path) => ({ path: `docs/${page.path}`, line, text: `no file at ${path}` })),
        ...unknown.map((name) => ({ path: `docs/${page.path}`, line, text: `no test file named ${name}` })),
      ];
    }),
  );
}

function paragraphsOf({ tokens, skippedLines }: Page): { line: number; text: string; codeSpans: string[] }[] {
  return tokens.flatMap(({ type, content, children, map }) =>
    type === 'inline'
      ? [
          {
            line: skippedLines + (map?.[0] ?? 0) + 1,
            text: content,
            codeSpans: (children ?? [])
              .filter((child) => child.type === 'code_inline')
              .map((child) => child.content),
          },
        ]
      : [],
  );
}

function codeIn(text: string): string[] {
  return (markdown.parseInline(text, {})[0]?.children ?? [])
    .filter(({ type }) => type === 'code_inline')
    .map(({ content }) => content);
}

function isPath(code: string, folders: readonly string[]): boolean {
  return /^[^\s/]+\/\S*$/u.test(code) && folders.some((folder) => code.startsWith(`${folder}/`));
}

function exists(root: string, path: string): boolean {
  const placeholder = path.search(PLACEHOLDER);
  const literal = placeholder === -1 ? path : posix.dirname(`${path.slice(0, placeholder)}x`);
  return existsSync(join(root, literal));
}
