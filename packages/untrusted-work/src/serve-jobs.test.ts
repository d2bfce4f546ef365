import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const entry = fileURLToPath(new URL('./jobs-for-tests.ts', import.meta.url));

it('serveJobs ignores SIGTERM, and exits when its parent disconnects', async () => {
  const child = fork(entry, { serialization: 'advanced', execArgv: [] });
  const exit = once(child, 'exit');
  await once(child, 'message');
  child.kill('SIGTERM');
  child.send({ kind: 'pid', input: null });
  expect(await once(child, 'message')).toMatchObject([{ type: 'done', output: child.pid }, undefined]);
  child.disconnect();
  expect(await exit).toEqual([0, null]);
});
