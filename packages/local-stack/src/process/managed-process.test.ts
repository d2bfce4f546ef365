import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ManagedProcess } from './managed-process.ts';
import { withPid } from './spawn-server.ts';

describe('ManagedProcess', () => {
  it('manages a process whose run file cannot be written', async () => {
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    const runFile = join(import.meta.dirname, 'missing/run.json');
    const managed = new ManagedProcess(
      'sleep',
      withPid(child),
      { signal: 'SIGTERM', limitMs: 5000 },
      runFile,
    );
    expect(managed.hasExited).toBe(false);
    await expect(managed.stop()).resolves.toEqual({ code: null, signal: 'SIGTERM' });
  });
});
