import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { CallRegistry } from './call-registry.ts';

const call = (callId: string, isJoined = false) => ({ callId, isJoined });

function create() {
  const clock = new VirtualClock();
  return { clock, calls: new CallRegistry<ReturnType<typeof call>>(clock) };
}

describe('CallRegistry', () => {
  it('counts all calls and the joined calls', () => {
    const { calls } = create();
    const [a, b] = [call('a'), call('b', true)];
    calls.add(a);
    calls.add(b);
    expect([calls.size, calls.joined, calls.all()]).toEqual([2, 1, [a, b]]);
    calls.remove(b);
    calls.remove(b);
    expect([calls.size, calls.joined]).toEqual([1, 0]);
  });

  it('retains a later registration of a call when an earlier one is removed', async () => {
    const { calls } = create();
    const [earlier, later] = [call('a'), call('a')];
    calls.add(earlier);
    calls.add(later);
    calls.remove(earlier);
    expect(await calls.find('a', 1000)).toBe(later);
  });

  it('finds a registered call immediately', async () => {
    const { clock, calls } = create();
    const a = call('a');
    calls.add(a);
    expect(await calls.find('a', 1000)).toBe(a);
    expect(clock.pendingTimers).toBe(0);
  });

  it('resolves all waits for a call when it is added, and no others', async () => {
    const { clock, calls } = create();
    const found: string[] = [];
    const wait = (callId: string, name: string): void => {
      void calls.find(callId, 1000).then((held) => found.push(`${name}: ${held?.callId ?? 'none'}`));
    };
    wait('a', 'first');
    wait('a', 'second');
    wait('b', 'other');
    await clock.advance(999);
    expect(found).toEqual([]);
    calls.add(call('a'));
    await clock.advance(0);
    expect(found).toEqual(['first: a', 'second: a']);
    expect(clock.pendingTimers).toBe(1);
  });

  it('resolves a wait with undefined after its time limit, without affecting later limits', async () => {
    const { clock, calls } = create();
    const outcomes: (string | undefined)[] = [];
    for (const waitMs of [100, 200]) void calls.find('a', waitMs).then((held) => outcomes.push(held?.callId));
    await clock.advance(100);
    expect(outcomes).toEqual([undefined]);
    expect(clock.pendingTimers).toBe(1);
    // The wait that timed out does not consume the registration.
    calls.add(call('a'));
    await clock.advance(0);
    expect(outcomes).toEqual([undefined, 'a']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('returns undefined when the call was added and removed before the waiter ran', async () => {
    const { clock, calls } = create();
    const finding = calls.find('a', 1000);
    const a = call('a');
    calls.add(a);
    calls.remove(a);
    expect(await finding).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });
});
