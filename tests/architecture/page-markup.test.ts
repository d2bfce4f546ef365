import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, sourcePaths } from './source-paths.ts';

/** Functions that turn text into markup or code. Names, transcripts and tool results are untrusted. */
const MARKUP =
  /dangerouslySetInnerHTML|(?:inner|outer)HTML|insertAdjacentHTML|srcdoc|document\.write|createContextualFragment|\beval\(|new Function\(/iu;

describe('the console and the browser SDK', () => {
  it('insert text only as text, never as markup or code', () => {
    const paths = sourcePaths().filter((path) =>
      /^(?:services\/console|packages\/client)\/src\//u.test(path),
    );
    expect(paths.length).toBeGreaterThan(150);
    const found = paths.filter((path) => MARKUP.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(found).toEqual([]);
  });
});
