import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { processCpuMs } from './process-cpu.ts';

describe('processCpuMs', () => {
  it('sums the CPU time of a process and its children, and returns null after the process has ended', async () => {
    const shell = spawn('/bin/sh', ['-c', '(while :; do :; done) & echo; wait'], { detached: true });
    await once(shell.stdout, 'data');
    let usedMs: number | null = 0;
    while (usedMs !== null && usedMs < 50) usedMs = await processCpuMs(shell.pid!);
    process.kill(-shell.pid!, 'SIGKILL');
    await once(shell, 'close');
    expect(usedMs).toBeGreaterThanOrEqual(50);
    expect(await processCpuMs(shell.pid!)).toBeNull();
  });
});
