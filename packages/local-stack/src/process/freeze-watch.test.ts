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
  it('reports a process that is frozen', async () => {
    const { child, process } = start('setInterval(() => undefined, 1000)');
    await once(child, 'spawn');
    child.kill('SIGSTOP');
    let reports = 0;
    await watchForFreeze(
      process,
      () => Promise.resolve(false),
      () => (reports += 1),
    );
    expect(reports).toBe(1);
  });

  it('leaves a process alone that is busy, or that responds', async () => {
    for (const [code, isResponding] of [
      ['for (;;);', false],
      ['setInterval(() => undefined, 100_000)', true],
    ] as const) {
      const { child, process } = start(code);
      let looks = 0;
      let reports = 0;
      const responds = (): Promise<boolean> => {
        looks += 1;
        if (looks === 8) child.kill('SIGKILL');
        return Promise.resolve(isResponding);
      };
      await watchForFreeze(process, responds, () => (reports += 1));
      expect(reports).toBe(0);
    }
  });
});
