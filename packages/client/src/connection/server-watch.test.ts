import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ServerWatch } from './server-watch.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** The server responds to pings while `responds` is true. */
function start() {
  const server = { responds: true, isMediaConnected: true };
  const counts = { pings: 0, hidden: 0, lost: 0 };
  const watch = new ServerWatch({
    ping: (timestamp) => {
      counts.pings += 1;
      if (server.responds && watch.receive({ type: 'pong', timestamp })) counts.hidden += 1;
    },
    isMediaConnected: () => server.isMediaConnected,
    onLost: () => {
      counts.lost += 1;
    },
  });
  return { watch, server, counts };
}

describe('ServerWatch', () => {
  it('pings a server that sends nothing, and hides the responses', async () => {
    const { watch, counts } = start();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toEqual({ pings: 60, hidden: 60, lost: 0 });
    watch.close();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts.pings).toBe(60);
  });

  it('reports a server once that has stopped responding for five seconds', async () => {
    const { server, counts } = start();
    await jest.advanceTimersByTimeAsync(1000);
    server.responds = false;
    await jest.advanceTimersByTimeAsync(4900);
    expect(counts.lost).toBe(0);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toMatchObject({ lost: 1, pings: 5 });
  });

  it('counts any message as a response, and passes on the responses to pings of the page', async () => {
    const { watch, server, counts } = start();
    await jest.advanceTimersByTimeAsync(1000);
    server.responds = false;
    for (let second = 0; second < 60; second += 2) {
      await jest.advanceTimersByTimeAsync(2000);
      expect(watch.receive({ type: 'pong', timestamp: 17 })).toBe(false);
    }
    expect(counts.lost).toBe(0);
  });

  it('does not judge a server that never responds to pings, and soon stops pinging it', async () => {
    const { server, counts } = start();
    server.responds = false;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toEqual({ pings: 4, hidden: 0, lost: 0 });
  });

  it('leaves disconnected media to IceRecovery', async () => {
    const { server, counts } = start();
    await jest.advanceTimersByTimeAsync(1000);
    Object.assign(server, { responds: false, isMediaConnected: false });
    await jest.advanceTimersByTimeAsync(9000);
    server.isMediaConnected = true;
    await jest.advanceTimersByTimeAsync(3000);
    expect(counts.lost).toBe(0);
  });

  it('starts again after the page was suspended', async () => {
    const { server, counts } = start();
    await jest.advanceTimersByTimeAsync(1000);
    server.responds = false;
    await jest.advanceTimersByTimeAsync(3000);
    // The clock continues without timers.
    const now = performance.now.bind(performance);
    const suspended = jest.spyOn(performance, 'now').mockImplementation(() => now() + 30_000);
    await jest.advanceTimersByTimeAsync(5000);
    expect(counts.lost).toBe(0);
    await jest.advanceTimersByTimeAsync(1000);
    expect(counts.lost).toBe(1);
    suspended.mockRestore();
  });
});
