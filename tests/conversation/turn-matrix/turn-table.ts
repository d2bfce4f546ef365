import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCENES, type Scene } from './scenes.ts';

/** Where the table is. */
export const TURN_TABLE_PATH = join(import.meta.dirname, '../../../docs/turn-taking.md');

const BEGIN = '<!-- The table is written by `npm run turn-matrix`. -->';
const END = '<!-- End of the table. -->';

/** The document with a table of these results in place of the one that it has. */
export async function withTable(actual: ReadonlyMap<Scene, string>): Promise<string> {
  const document = await readFile(TURN_TABLE_PATH, 'utf8');
  const [before, rest = ''] = document.split(BEGIN);
  const [, after] = rest.split(END);
  if (before === undefined || after === undefined)
    throw new Error(`no place for the table in ${TURN_TABLE_PATH}`);
  return `${before}${BEGIN}\n\n${tableOf(actual)}\n\n${END}${after}`;
}

function tableOf(actual: ReadonlyMap<Scene, string>): string {
  const rows = [
    ['conversation', 'what there is to hear', 'expected', 'actual'],
    ...SCENES.map((scene) => [scene.name, scene.heard, scene.expected, actual.get(scene) ?? 'not played']),
  ];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(head), line(rule), ...body.map(line)].join('\n');
}
