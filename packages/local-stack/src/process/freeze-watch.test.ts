import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { watchForFreeze } from './freeze-watch.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(code: string): { child: ChildProcess; process: { pid: number; hasExited: boolean } } {
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  children.push(child);
  const watched = { pid: child.pid ?? 0, hasExited: false };
  child.once('exit', () => (watched.hasExited = true));
  return { child, process: watched };
}

describe('watchForFreeze', () => {
  it.each([
    ['is stopped', 'setInterval(() => undefined, 1000)', true],
    ['blocks forever', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', false],
  ])('reports a process that %s', async (_, code, isStopped) => {
    const { child, process } = start(code);
    await once(child, 'spawn');
    if (isStopped) child.kill('SIGSTOP');
    let reports = 0;
    await watchForFreeze(
      process,
      () => Promise.resolve(false),
      () => (reports += 1),
    );
    expect(reports).toBe(1);
  });

  it.each([
    ['is busy', 'while (performance.now() < 1800);', false],
    ['responds', 'setTimeout(() => undefined, 1800)', true],
  ])('does not report a process that %s', async (_, code, isResponding) => {
    const { process } = start(code);
    let reports = 0;
    await watchForFreeze(
      process,
      () => Promise.resolve(isResponding),
      () => (reports += 1),
    );
    expect(reports).toBe(0);
  });
});
