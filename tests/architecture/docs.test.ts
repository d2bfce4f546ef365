import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { engineVariables } from '@calls/providers/generate';
import { documentedVariables } from '../support/documented-variables.ts';
import { ROOT, sourcePaths } from './source-paths.ts';

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Code of the processes, without tests and test tools. */
const processCode = sourcePaths()
  .filter((path) => !/\/testkit\/|\.test\.ts$/u.test(path))
  .map(read);

/**
 * The variables that files with an EnvReader name in a read (`env.url('PUBLIC_URL', …)`, `limit('STT_TIMEOUT_MS', …)`), and
 * those of the engines, which are put together from vendors' descriptors.
 */
function variablesRead(): string[] {
  const readers = processCode.filter((text) => text.includes('EnvReader'));
  const all = readers.join('\n');
  const literal = matches(
    all,
    /(?:\.(?:string|integer|boolean|oneOf|url|optional|secrets)|\blimit)\(\s*'([A-Z][A-Z0-9_]+)'/gu,
  );
  return [...new Set([...literal, ...engineVariables])];
}

function matches(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found]) => found ?? ''))];
}

describe('the documentation', () => {
  it('names every environment variable that a process reads', () => {
    const known = variablesRead();
    expect(known).toEqual(expect.arrayContaining(['PORT', 'LLM_BASE_URL', 'TTS_API_KEY', 'STT_TIMEOUT_MS']));
    const documented = documentedVariables();
    expect(known.filter((name) => !documented.includes(name))).toEqual([]);
  });

  it('names no environment variable that nothing reads', () => {
    const known = variablesRead();
    const elsewhere = [...processCode, read('examples/call.ts'), read('docker-compose.yml')].join('\n');
    const unread = documentedVariables().filter(
      (name) => !known.includes(name) && !new RegExp(`\\b${name}\\b`, 'u').test(elsewhere),
    );
    expect(unread).toEqual([]);
  });
});
