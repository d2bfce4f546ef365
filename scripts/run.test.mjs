import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const RUN = fileURLToPath(new URL('run.mjs', import.meta.url));
const OLD_NODE =
  "Object.defineProperty(process, 'versions', { value: { node: '12.22.9' } }); Object.defineProperty(process, 'version', { value: 'v12.22.9' })";

it('npm scripts report a Node that is too old', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${OLD_NODE}`, RUN, 'start'],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'Node 20 or newer is needed; this is v12.22.9\n',
  });
});

it('the entry point of npm scripts has only syntax that old versions of Node read', () => {
  const statements = readFileSync(RUN, 'utf8').split('*/')[1];
  expect(statements).not.toMatch(/^import |await|\?\.|\?\?/mu);
});
