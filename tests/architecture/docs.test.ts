import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TELEPHONY_ACCOUNT_VENDORS } from '@calls/api-contract/vendors/telephony-vendors';
import { TTS_VENDORS } from '@calls/api-contract/vendors/tts-vendors';
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
 * The variables that files with an EnvReader name: in a read (`env.url('PUBLIC_URL', …)`, `limit('STT_TIMEOUT_MS', …)`), or
 * put together from a role (`${role}_BASE_URL`, `readEndpoint(env, 'STT', …)`).
 */
function variablesRead(): string[] {
  const readers = processCode.filter((text) => text.includes('EnvReader'));
  const all = readers.join('\n');
  const literal = matches(
    all,
    /(?:\.(?:string|integer|boolean|oneOf|url|optional|secrets)|\blimit)\(\s*'([A-Z][A-Z0-9_]+)'/gu,
  );
  const roles = matches(all, /\(env, '([A-Z_]+)'/gu);
  const suffixes = matches(all, /\$\{role\}(_[A-Z_]+)`/gu);
  return [...new Set([...literal, ...roles.flatMap((role) => suffixes.map((suffix) => role + suffix))])];
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

  it('names the variable and the default address of every vendor', () => {
    const folder = 'docs/reference/configuration';
    const rows = readdirSync(join(ROOT, folder)).flatMap((name) => read(`${folder}/${name}`).split('\n'));
    const vendors = [...TTS_VENDORS, ...TELEPHONY_ACCOUNT_VENDORS.map(({ account }) => account)];
    const undocumented = vendors
      .flatMap(({ endpoint }) => (endpoint ? [endpoint] : []))
      .filter(
        ({ variable, url }) =>
          !rows.some((row) => row.includes(`\`${variable}\``) && row.includes(`\`${url}\``)),
      );
    expect(undocumented).toEqual([]);
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
