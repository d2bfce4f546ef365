import { describe, expect, it } from '@jest/globals';
import type { HandoverOutcome, HandoverRequest } from '@calls/bus/handovers';
import { newId } from '@calls/foundation/ids';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { continueCalls } from './continue-calls.ts';

function create() {
  const clock = new VirtualClock();
  const prepared: string[] = [];
  const joined = new Set<string>();
  let serve: ((request: HandoverRequest) => Promise<HandoverOutcome>) | null = null;
  const lease = { epoch: 1, holder: { workerId: 'w1', url: 'ws://w1.test' }, call: null, revision: 1 };
  continueCalls({
    bus: {
      handovers: {
        serve: (_, handle) => {
          serve = handle;
          return { [Symbol.dispose]: () => undefined };
        },
      },
      leases: { find: (callId) => Promise.resolve({ callId, ...lease }) },
    },
    workerId: 'w2',
    host: {
      prepare: ({ callId }) => {
        prepared.push(callId);
        return Promise.resolve(true);
      },
      failOver: () => Promise.resolve({ kind: 'moved' }),
    },
    isJoined: (callId) => joined.has(callId),
    clock,
  });
  const request = async (step: HandoverRequest['step'], callId: string, from = 'w1') => {
    const outcomes: HandoverOutcome[] = [];
    void serve?.({ step, callId, from }).then((outcome) => outcomes.push(outcome));
    await clock.advance(0);
    return outcomes;
  };
  return { clock, prepared, joined, request };
}

describe('continueCalls', () => {
  it('prepares for the next call once the client of the previous one has returned', async () => {
    const { clock, prepared, joined, request } = create();
    const [first, second] = [newId(), newId()];
    expect(await request('prepare', first)).toEqual(['accepted']);
    const outcomes = await request('prepare', second);
    await clock.advance(500);
    expect(prepared).toEqual([first]);
    joined.add(first);
    await clock.advance(100);
    expect(prepared).toEqual([first, second]);
    expect(outcomes).toEqual(['accepted']);
  });

  it('stops waiting after one second for a client that does not return', async () => {
    const { clock, prepared, request } = create();
    await request('prepare', newId());
    await request('prepare', newId());
    await clock.advance(1100);
    expect(prepared).toHaveLength(2);
  });

  it('refuses a call when the requesting worker does not hold its lease', async () => {
    const { prepared, request } = create();
    expect(await request('prepare', newId(), 'w3')).toEqual(['refused']);
    expect(await request('take', newId(), 'w3')).toEqual(['refused']);
    expect(prepared).toEqual([]);
  });
});
