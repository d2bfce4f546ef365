import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ConnectionState } from 'mediasoup-client/types';
import { IceRecovery } from './ice-recovery.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function start(...states: ConnectionState[]) {
  const told = { requests: 0, restarts: 0, givenUp: 0 };
  const recovery = new IceRecovery({
    requestRestart: () => {
      told.requests += 1;
      return Promise.resolve({ usernameFragment: 'u', password: 'p' });
    },
    restart: () => {
      told.restarts += 1;
      return Promise.resolve();
    },
    onGivenUp: () => {
      told.givenUp += 1;
    },
  });
  for (const state of states) recovery.onState(state);
  return { recovery, told };
}

describe('IceRecovery', () => {
  it('leaves a transport alone that was never connected', async () => {
    const { told } = start('connecting', 'failed');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual({ requests: 0, restarts: 0, givenUp: 0 });
  });

  it('waits a little for a gap to pass by itself', async () => {
    const { recovery, told } = start('connected', 'disconnected');
    await jest.advanceTimersByTimeAsync(400);
    recovery.onState('connected');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual({ requests: 0, restarts: 0, givenUp: 0 });
  });

  it('restarts until it is connected', async () => {
    const { recovery, told } = start('connected', 'disconnected');
    await jest.advanceTimersByTimeAsync(4000);
    expect(told).toEqual({ requests: 2, restarts: 2, givenUp: 0 });
    recovery.onState('connected');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual({ requests: 2, restarts: 2, givenUp: 0 });
    recovery.onState('failed');
    await jest.advanceTimersByTimeAsync(0);
    expect(told.requests).toBe(3);
    recovery.close();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives up, once, before the service does', async () => {
    const { recovery, told } = start('connected', 'disconnected', 'failed');
    await jest.advanceTimersByTimeAsync(9999);
    expect(told.givenUp).toBe(1);
    recovery.onState('closed');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(told.givenUp).toBe(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
