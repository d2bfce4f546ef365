import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { documentedVariables } from '../support/documented-variables.ts';
import { declaredVariables, listFiles } from '../support/reference-lists.ts';
import { ROOT, sourcePaths } from './source-paths.ts';

describe('configuration', () => {
  it.each(listFiles())(
    '$path lists what the code declares (`npm run generate` updates it)',
    ({ current, generated }) => {
      expect(current).toBe(generated);
    },
  );

  it('is documented without variables that no code reads', () => {
    const declared = declaredVariables().map(({ name }) => name);
    expect(declared).toEqual(expect.arrayContaining(['PORT', 'LLM_BASE_URL', 'STT_TIMEOUT_MS']));
    const paths = [...sourcePaths(), 'examples/call.ts', 'docker-compose.yml'];
    const text = paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
    const unread = documentedVariables().filter(
      (name) => !declared.includes(name) && !new RegExp(`\\b${name}\\b`, 'u').test(text),
    );
    expect(unread).toEqual([]);
  });
});
