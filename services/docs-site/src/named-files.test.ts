import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { namedFileProblems } from './named-files.ts';
import { parsePage } from './page.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

function problems(text: string): string[] {
  const page = parsePage('guides/page.md', `# Title\n\n${text}\n`);
  return namedFileProblems(ROOT, [page]).map(({ line, text: problem }) => `:${line}: ${problem}`);
}

describe('namedFileProblems', () => {
  it.each([
    ['a file', 'See `services/docs-site/src/none.ts`.', ':3: no file at services/docs-site/src/none.ts'],
    ['a folder of a pattern', '`packages/none/<vendor>/x.ts`', /no file at packages\/none/u],
    ['a test', 'Safe. Tests: `named-files`, `none-such`.', ':3: no test file named none-such'],
  ])('reports %s that does not exist', (_, text, problem) => {
    expect(problems(text)).toEqual([expect.stringMatching(problem)]);
  });

  it.each([
    '`services/docs-site/src/named-files.ts`',
    '`packages/providers/src/tts/<vendor>/wire.ts`',
    '`application/json`',
  ])('accepts %s', (text) => expect(problems(text)).toEqual([]));
});
