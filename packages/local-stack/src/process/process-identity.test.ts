import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { identifyProcess, isAlive } from './process-identity.ts';

describe('identifyProcess', () => {
  it('identifies a live process, and detects its end', async () => {
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid ?? 0);
    expect(identity?.pid).toBe(child.pid);
    expect(identity && isAlive(identity)).toBe(true);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(identity && isAlive(identity)).toBe(false);
  });

  it('does not treat another process with the same pid as the same process', () => {
    expect(isAlive({ pid: process.pid, startTicks: '1' })).toBe(false);
    expect(identifyProcess(2 ** 22 + 1)).toBeUndefined();
  });
});
