import { expect, it } from '@jest/globals';
import { generateFiles } from './generate.ts';

it.each(generateFiles())('$path has the variables of all vendors; `npm run generate` updates it', (file) => {
  expect(file.current).toBe(file.generated);
});
