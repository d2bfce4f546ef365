import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
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
      const process = host.run('head', ['-c', LONG_OUTPUT_BYTES, '/dev/zero'], '');
      expect((await process.read())?.byteLength).toBeGreaterThan(0);
      await host[Symbol.asyncDispose]();
      expect(host.pid).toBeUndefined();
      return process.end;
    });
    expect(await Promise.all(ends)).toEqual(hosts.map(() => ({ kind: 'host_lost' })));
  });
});
