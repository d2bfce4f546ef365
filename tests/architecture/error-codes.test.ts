import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ROOT, sourcePaths } from './source-paths.ts';

const THROWN = /new (?:HttpProblem\(\s*\d{3}|CallRefusal\(\s*'\w+'),\s*'(\w+)'/gu;
/** For clients that have disconnected. */
const NEVER_SENT = ['client_closed'];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('the API reference or the rules of the REST API list every error code', () => {
  const documented =
    read('packages/api-contract/src/openapi/error-responses.ts') + read('docs/reference/rest-api.md');
  const codes = new Set(
    sourcePaths().flatMap((path) => [...read(path).matchAll(THROWN)].map(([, code = '']) => code)),
  );
  expect(codes.size).toBeGreaterThan(30);
  const missing = [...codes].filter((code) => !new RegExp(`[\`']${code}[\`']`, 'u').test(documented));
  expect(missing).toEqual(NEVER_SENT);
});
