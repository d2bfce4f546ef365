import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';

it.each([
  ['continues to stop', 'SIGTERM', 'SIGKILL'],
  ['exits at once', 'SIGINT', null],
] as const)(
  'the launcher %s when %s is repeated after more than a second',
  async (_what, signal, endedBy) => {
    const program = `
    import { StopRequest } from '${import.meta.resolve('./stop-request.ts')}';
    new StopRequest();
    process.on('${signal}', () => process.send('received'));
    process.send('ready');
  `;
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    await once(child, 'message');
    child.kill(signal);
    await once(child, 'message');
    await sleep(1050);
    const exited = once(child, 'exit');
    child.on('message', () => child.kill('SIGKILL'));
    child.kill(signal);
    expect(await exited).toEqual([endedBy === null ? 130 : null, endedBy]);
  },
);
