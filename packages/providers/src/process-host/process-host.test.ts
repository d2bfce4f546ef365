import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { ProcessHost } from './process-host.ts';

const LONG_OUTPUT_BYTES = '30000000';
/** Each ends in the middle of a message with a probability of about a quarter. */
const HOSTS = 10;

describe('ProcessHost', () => {
  it('ends its processes on disposal, even in the middle of their output', async () => {
    const hosts = Array.from(
      { length: HOSTS },
      () => new ProcessHost({ clock: systemClock, log: silentLogger }),
    );
    const ends = hosts.map(async (host) => {
      const running = host.run('head', ['-c', LONG_OUTPUT_BYTES, '/dev/zero'], '');
      expect((await running.read())?.byteLength).toBeGreaterThan(0);
      await host[Symbol.asyncDispose]();
      expect(host.pid).toBeUndefined();
      return running.end;
    });
    expect(await Promise.all(ends)).toEqual(hosts.map(() => ({ kind: 'host_lost' })));
  });

  it('replaces a host that does not end a process, and ends one that does not respond on disposal', async () => {
    const clock = new VirtualClock();
    const host = new ProcessHost({ clock, log: silentLogger });
    const hanging = host.run('true', [], '');
    process.kill(host.pid ?? 0, 'SIGSTOP');
    hanging.kill();
    await clock.advance(10_000);
    expect(await hanging.end).toEqual({ kind: 'host_lost' });
    expect(await host.run('true', [], '').end).toMatchObject({ kind: 'exited', code: 0 });

    process.kill(host.pid ?? 0, 'SIGSTOP');
    const disposed = host[Symbol.asyncDispose]();
    await clock.advance(10_000);
    await disposed;
    expect([host.pid, clock.pendingTimers]).toEqual([undefined, 0]);
  });
});
