import { describe, expect, it } from '@jest/globals';
import type { HandoverOutcome, HandoverRequest } from '@calls/bus/handovers';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec } from '@calls/testkit/call-spec';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { RETRY_MS, Successors } from './successors.ts';

/** The draining worker `w1`, others with their free slots, and the response of each other worker. */
function create(rooms: Record<string, number>, outcomes: Record<string, HandoverOutcome | null>) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const records = Object.entries({ w1: 100, ...rooms }).map(([workerId, room]) => ({
    workerId,
    url: `ws://${workerId}.test`,
    capacity: 100,
    activeCalls: 100 - room,
    draining: workerId === 'stopping',
    webRtcFault: workerId === 'deaf' ? 'no port' : null,
  }));
  const successors = new Successors({
    workerId: 'w1',
    workers: { list: () => Promise.resolve(records) },
    handovers: {
      request: (workerId: string, { step }: HandoverRequest) => {
        asked.push(`${step} ${workerId}`);
        return Promise.resolve(outcomes[workerId] ?? null);
      },
    },
    clock,
    log: silentLogger,
  });
  const call = {
    callId: callSpec().callId,
    isLive: true,
    spec: callSpec({ medium: { kind: 'webRtc', dataMessages: {} } }),
  };
  const stop = new AbortController();
  const found: (string | null)[] = [];
  return {
    clock,
    asked,
    outcomes,
    stop,
    found,
    find: () => void successors.find(call, stop.signal).then((workerId) => found.push(workerId)),
  };
}

describe('Successors', () => {
  it('waits until another worker has room for the call', async () => {
    const { find, outcomes, asked, found, clock } = create({ w2: 0, w3: 0 }, { w2: 'no_capacity', w3: null });
    find();
    await clock.advance(RETRY_MS * 3);
    expect(found).toEqual([]);
    outcomes['w3'] = 'accepted';
    await clock.advance(RETRY_MS);
    expect(found).toEqual(['w3']);
    expect(asked.at(-1)).toBe('prepare w3');
  });

  it('stops the search when the drain limit is reached', async () => {
    const { find, stop, found, clock } = create({ w2: 0 }, { w2: 'no_capacity' });
    find();
    await clock.advance(RETRY_MS * 3);
    stop.abort();
    await clock.advance(0);
    expect(found).toEqual([null]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('selects the worker with most free slots, and counts the calls that it handed over', async () => {
    const { find, asked, found, clock } = create({ w2: 3, w3: 2 }, { w2: 'accepted', w3: 'accepted' });
    for (let i = 0; i < 4; i += 1) {
      find();
      await clock.advance(0);
    }
    expect(found).toEqual(['w2', 'w2', 'w3', 'w2']);
    expect(asked).toHaveLength(4);
  });

  it('ignores workers that are draining or do not support the medium', async () => {
    const { find, asked, clock } = create(
      { stopping: 9, deaf: 9 },
      { stopping: 'accepted', deaf: 'accepted' },
    );
    find();
    await clock.advance(RETRY_MS);
    expect(asked).toEqual([]);
  });
});
