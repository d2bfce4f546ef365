import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { GENERATED_FILE, generateTypes } from './generate.ts';

describe('the generated types', () => {
  it('are those of the API as it is; `npm run generate` makes them anew', async () => {
    expect(await generateTypes()).toBe(await readFile(GENERATED_FILE, 'utf8'));
  });
});
