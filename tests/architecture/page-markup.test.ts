import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, sourcePaths } from './source-paths.ts';

/** What makes markup or code of text: names, transcripts and answers of tools come from anybody. */
const MARKUP =
  /dangerouslySetInnerHTML|(?:inner|outer)HTML|insertAdjacentHTML|srcdoc|document\.write|createContextualFragment|\beval\(|new Function\(/iu;

describe('pages', () => {
  it('show text as text', () => {
    const paths = sourcePaths().filter((path) =>
      /^(?:services\/console|packages\/client)\/src\//u.test(path),
    );
    expect(paths.length).toBeGreaterThan(150);
    const found = paths.filter((path) => MARKUP.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(found).toEqual([]);
  });
});
