import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it('npm run replay reads the traces of npm start', () => {
  const { stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), 'no-such-call'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  expect(stderr).toContain(`No trace of no-such-call in ${join(process.cwd(), '.data/objects')}.`);
});
