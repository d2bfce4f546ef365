import type { IceParameters } from '@calls/api-contract/signalling/signal-messages';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConnectionState } from 'mediasoup-client/types';
import { IceRecovery } from './ice-recovery.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const ANSWER = Promise.resolve({ usernameFragment: 'u', password: 'p' });

function start(states: ConnectionState[], answer: () => Promise<IceParameters> = () => ANSWER) {
  const counts = { requests: 0, restarts: 0, givenUp: 0 };
  const recovery = new IceRecovery({
    requestRestart: () => {
      counts.requests += 1;
      return answer();
    },
    restart: () => {
      counts.restarts += 1;
      return Promise.resolve();
    },
    onGivenUp: () => {
      counts.givenUp += 1;
    },
  });
  for (const state of states) recovery.onState(state);
  return { recovery, counts };
}

describe('IceRecovery', () => {
  it('ignores a transport that was never connected', async () => {
    const { counts } = start(['connecting', 'failed']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toEqual({ requests: 0, restarts: 0, givenUp: 0 });
  });

  it('waits briefly for the connection to recover automatically', async () => {
    const { recovery, counts } = start(['connected', 'disconnected']);
    await jest.advanceTimersByTimeAsync(400);
    recovery.onState('connected');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toEqual({ requests: 0, restarts: 0, givenUp: 0 });
  });

  it('restarts ICE until the transport is connected', async () => {
    const { recovery, counts } = start(['connected', 'disconnected']);
    await jest.advanceTimersByTimeAsync(4000);
    expect(counts).toEqual({ requests: 2, restarts: 2, givenUp: 0 });
    recovery.onState('connected');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toEqual({ requests: 2, restarts: 2, givenUp: 0 });
    recovery.onState('failed');
    await jest.advanceTimersByTimeAsync(0);
    expect(counts.requests).toBe(3);
    recovery.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up at the next retry when the service does not answer, but not when it refuses', async () => {
    const { counts } = start(['connected', 'disconnected'], () => new Promise(() => undefined));
    await jest.advanceTimersByTimeAsync(3499);
    expect(counts).toEqual({ requests: 1, restarts: 0, givenUp: 0 });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts).toEqual({ requests: 1, restarts: 0, givenUp: 1 });
    const refused = start(['connected', 'disconnected'], () => Promise.reject(new Error('too many')));
    await jest.advanceTimersByTimeAsync(3600);
    expect(refused.counts).toEqual({ requests: 2, restarts: 0, givenUp: 0 });
    refused.recovery.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up once, before the service does', async () => {
    const { recovery, counts } = start(['connected', 'disconnected', 'failed']);
    await jest.advanceTimersByTimeAsync(9999);
    expect(counts.givenUp).toBe(1);
    recovery.onState('closed');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(counts.givenUp).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
