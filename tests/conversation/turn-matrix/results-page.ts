import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SCENES, type Scene } from './scenes.ts';

/** The documentation page with the results. */
export const RESULTS_PATH = join(import.meta.dirname, '../../../docs/internals/recorded-conversations.md');

const BEGIN = '<!-- Begin of the list that `npm run turn-matrix` writes. -->';
const END = '<!-- End of the list. -->';

/** Returns the page with its results replaced by these. */
export async function withResults(actual: ReadonlyMap<Scene, string>): Promise<string> {
  const document = await readFile(RESULTS_PATH, 'utf8');
  const [before, rest = ''] = document.split(BEGIN);
  const [, after] = rest.split(END);
  if (before === undefined || after === undefined)
    throw new Error(`no place for the results in ${RESULTS_PATH}`);
  return `${before}${BEGIN}\n\n${listOf(actual)}\n\n${END}${after}`;
}

function listOf(actual: ReadonlyMap<Scene, string>): string {
  return SCENES.map((scene) => {
    const result = actual.get(scene) ?? 'not played';
    const outcome = result === scene.expected ? result : `${result} (expected: ${scene.expected})`;
    return `- ${scene.name}: **${outcome}**`;
  }).join('\n');
}
