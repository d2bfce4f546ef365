import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from './source-paths.ts';

const run = promisify(execFile);

describe('alert rules', () => {
  it('pass their unit tests, which include an idle installation', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', 'deploy/prometheus/alerts.test.yml'], {
      cwd: ROOT,
    });
    expect(stdout).toContain('SUCCESS');
  });
});
