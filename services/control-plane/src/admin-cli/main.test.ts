import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const main = new URL('main.ts', import.meta.url).pathname;

/** Runs the command without a server. */
function cli(args: readonly string[], env: Record<string, string> = {}) {
  return promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    env: { PATH: process.env['PATH'], ADMIN_URL: 'http://127.0.0.1:9', ADMIN_TOKEN: 'token', ...env },
  });
}

describe('npm run admin, without a server', () => {
  it('makes a token and its entry', async () => {
    const { stdout } = await cli(['new-token', '--name', 'alice']);
    expect(stdout).toMatch(/: \w{40}\nentry for ADMIN_TOKENS: alice:[\da-f]{64}\n$/u);
  });

  it.each([
    ['a token without a name', ['new-token'], '--name is required.'],
    [
      'a token whose name has a colon',
      ['new-token', '--name', 'a:b'],
      'The name must have 1 to 64 characters',
    ],
    ['an empty account id', ['accounts', 'get', ''], 'Expected arguments: <account id>.'],
    [
      'the removal of a limit that is always needed',
      ['accounts', 'create', '--name', 'x', '--limit', 'apiRequestsPerSecond=none'],
      '--limit apiRequestsPerSecond must not be none; only concurrentCalls, priorityCalls, freeMinutes may',
    ],
  ])('rejects %s', async (_, args, message) => {
    await expect(cli(args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('rejects an invalid ADMIN_PORT', async () => {
    await expect(cli(['accounts', 'list'], { ADMIN_PORT: 'abc' })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ADMIN_PORT must be a whole number'),
    });
  });
});
