import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Problem } from './links.ts';
import type { Page } from './page.ts';

/** Rows by column; the first column names the row. */
type List = readonly Readonly<Record<string, string>>[];
/** The generated lists of `docs/reference/generated`, by file name. */
export type Lists = ReadonlyMap<string, List>;

/**
 * A code block that the site replaces by a table. Its language names the list; its words select rows by name, where `*` stands
 * for any characters.
 */
const BLOCK = /^```(?<list>[a-z]+)\n(?<patterns>[^`]*)\n```$/gmu;

export async function readLists(docs: string): Promise<Lists> {
  const folder = join(docs, 'reference/generated');
  const names = globSync('*.json', { cwd: folder }).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return new Map(names.map((name, i) => [basename(name, '.json'), JSON.parse(texts[i] ?? '') as List]));
}

/** Replaces the blocks that select rows by tables. */
export function withTables(source: string, lists: Lists): string {
  return source.replaceAll(BLOCK, (block, name: string, patterns: string) => {
    const list = lists.get(name);
    return list ? tableOf(patterns.split(/\s+/u).flatMap((pattern) => selected(list, pattern))) : block;
  });
}

/** Rows that no page or several pages show, and patterns without a row. */
export function listProblems(pages: readonly Page[], lists: Lists): Problem[] {
  return [...lists].flatMap(([name, list]) => {
    const patterns = pages.flatMap(({ path, source }) =>
      [...source.matchAll(BLOCK)]
        .filter(({ groups }) => groups?.['list'] === name)
        .flatMap(({ groups = {}, index }) =>
          (groups['patterns'] ?? '').split(/\s+/u).map((pattern) => ({
            path: `docs/${path}`,
            line: source.slice(0, index).split('\n').length,
            pattern,
          })),
        ),
    );
    const shown = patterns.flatMap(({ pattern }) => selected(list, pattern));
    const unused = patterns.filter(({ pattern }) => selected(list, pattern).length === 0);
    const wrong = list.filter((row) => shown.filter((each) => each === row).length !== 1);
    return [
      ...unused.map(({ path, line, pattern }) => ({ path, line, text: `no ${name} named ${pattern}` })),
      ...wrong.map((row) => ({
        path: `docs/reference/generated/${name}.json`,
        line: list.indexOf(row) + 2,
        text: `${nameOf(row)} must be in the list of one page`,
      })),
    ];
  });
}

function nameOf(row: Readonly<Record<string, string>>): string {
  return Object.values(row)[0] ?? '';
}

function selected(list: List, pattern: string): List {
  const form = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'u');
  return list.filter((row) => form.test(nameOf(row)));
}

/** Omits columns without text. */
function tableOf(rows: List): string {
  const columns = Object.keys(rows[0] ?? {}).filter((column) => rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [
    line(columns),
    line(columns.map(() => '-')),
    ...rows.map((row) =>
      line(columns.map((column, i) => (i === 0 ? `\`${row[column]}\`` : (row[column] ?? '')))),
    ),
  ].join('\n');
}
