import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock, withTimeout } from './clock.ts';
import { TimeoutError } from './errors.ts';
import { VirtualClock } from './virtual-clock.ts';

const LIMIT_MS = 20;

/** Occupies this process until its timers are late. */
function pause(): void {
  const untilMs = performance.now() + LIMIT_MS + 200;
  while (performance.now() < untilMs);
}

describe('withTimeout', () => {
  it('returns an answer that arrived while the process was paused beyond the limit', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [peer] = (await once(server, 'connection')) as [Socket];
    const answer = withTimeout(systemClock, once(client, 'data'), LIMIT_MS, 'the answer');
    peer.write('here');
    pause();
    expect(String((await answer)[0])).toBe('here');
    client.destroy();
    server.close();
  });

  it('rejects after a pause of the process without an answer', async () => {
    const answer = withTimeout(systemClock, new Promise(() => undefined), LIMIT_MS, 'the answer');
    pause();
    await expect(answer).rejects.toThrow(TimeoutError);
  });

  it('rejects at the limit in virtual time, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const answer = withTimeout(clock, new Promise(() => undefined), LIMIT_MS, 'the answer');
    const outcome = answer.catch((thrown: unknown) => [thrown, clock.nowMs()]);
    await clock.advance(LIMIT_MS);
    expect(await outcome).toEqual([expect.any(TimeoutError), LIMIT_MS]);
    expect(clock.pendingTimers).toBe(0);
  });
});
