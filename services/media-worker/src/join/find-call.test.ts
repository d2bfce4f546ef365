import { describe, expect, it } from '@jest/globals';
import type { StoredCallLogEntry } from '@calls/bus/call-log';
import type { KnownLease } from '@calls/bus/leases';
import { callSpec } from '@calls/testkit/call-spec';
import { newId } from '@calls/foundation/ids';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { endedEntry } from '@calls/testkit/ended-entry';
import { CallRegistry } from '../calls/call-registry.ts';
import { CALL_WAIT_MS, CallFinder, type CallLocation } from './find-call.ts';

/** The finder of worker `w1`, which has no calls. */
function create(
  lease: KnownLease | null,
  served: boolean | readonly boolean[] = false,
  last: StoredCallLogEntry | null = null,
  life: 'alive' | 'lost' | 'unknown' = 'unknown',
) {
  const clock = new VirtualClock();
  const taken: string[] = [];
  const answers = [served].flat();
  let asked = 0;
  const finder = new CallFinder({
    bus: {
      connection: { connected: true },
      callLogs: { last: () => Promise.resolve(last) },
      commands: { isServed: () => Promise.resolve(answers[asked++ % answers.length] ?? false) },
      leases: { find: () => Promise.resolve(lease), holds: () => Promise.resolve(true) },
    },
    workerId: 'w1',
    calls: new CallRegistry(clock),
    host: {
      failOver: ({ callId }) => {
        taken.push(callId);
        return Promise.resolve({ kind: 'no_capacity' });
      },
    },
    livenessOf: () => life,
    clock,
  });
  const find = async (): Promise<CallLocation | null> => {
    let found: CallLocation | null = null;
    void finder.find(newId(), () => false).then((result) => (found = result));
    await clock.advance(CALL_WAIT_MS);
    await clock.advance(CALL_WAIT_MS);
    return found;
  };
  return { find, taken, asked: () => asked };
}

describe('CallFinder', () => {
  it('forwards to the worker that serves the call, and takes over the call of a lost worker without a request', async () => {
    const holder = { workerId: 'w2', url: 'ws://w2' };
    const call = { admissionClass: 'standard' as const, spec: callSpec() };
    const lease = { callId: call.spec.callId, epoch: 1, revision: 1, holder, call };
    expect(await create(lease, true).find()).toEqual({ kind: 'there', holder });
    const { find, taken, asked } = create(lease, true, null, 'lost');
    await find();
    expect(taken).toEqual([lease.callId]);
    expect(asked()).toBe(0);
  });

  it('retries a live worker that does not respond, and finally takes over its call', async () => {
    const holder = { workerId: 'w2', url: 'ws://w2' };
    const call = { admissionClass: 'standard' as const, spec: callSpec() };
    const lease = { callId: call.spec.callId, epoch: 1, revision: 1, holder, call };
    const busy = create(lease, [false, false, true], null, 'alive');
    expect(await busy.find()).toEqual({ kind: 'there', holder });
    expect(busy.taken).toEqual([]);
    const silent = create(lease, false, null, 'alive');
    await silent.find();
    expect(silent.taken).toEqual([lease.callId]);
    const unwatched = create(lease, false);
    await unwatched.find();
    expect(unwatched.asked()).toBe(1);
  });

  it('reports no capacity when no worker has admitted the call in time', async () => {
    expect(await create(null).find()).toEqual({ kind: 'nowhere', reason: 'no_capacity' });
  });

  it('rejects a call that ended before a worker admitted it', async () => {
    const body = endedEntry({ endReason: 'unjoined' });
    const event = { callId: newId(), accountId: newId(), seq: 1, epoch: 0, wallClockMs: 0, body };
    const { find } = create(null, false, { event, position: 1 });
    expect(await find()).toEqual({ kind: 'nowhere', reason: 'unknown_call' });
  });
});
