import { describe, expect, it } from '@jest/globals';
import type { CallActivity } from '@calls/conversation/session/call-session';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { callSpec } from '@calls/testkit/call-spec';
import { CHECK_MS, moveCalls } from './call-moves.ts';

const WITHIN_MS = 30_000;

class TestCall {
  readonly callId: string;
  readonly spec;
  activity: CallActivity;
  isLive = true;
  readonly handOver: () => void;

  constructor(callId: string, activity: CallActivity, handOver: (call: TestCall) => void, isStored = true) {
    this.callId = callId;
    this.spec = callSpec(isStored ? {} : { retention: 'zdr' });
    this.activity = activity;
    this.handOver = () => handOver(this);
  }
}

function move(activities: Record<string, CallActivity>, { isStored = true } = {}) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const moved: string[] = [];
  const handOver = (call: TestCall): void => {
    moved.push(call.callId);
    call.isLive = false;
  };
  const calls = Object.entries(activities).map(
    ([id, activity]) => new TestCall(id, activity, handOver, isStored),
  );
  const state = { isDone: false };
  void moveCalls(calls, WITHIN_MS, stop.signal, {
    successors: { find: () => Promise.resolve('w2') },
    hasLeft: () => Promise.resolve(),
    clock,
  }).then(() => (state.isDone = true));
  const change = (id: string, change: Partial<Pick<TestCall, 'activity' | 'isLive'>>): void => {
    for (const call of calls) if (call.callId === id) Object.assign(call, change);
  };
  return { clock, stop, moved, state, change };
}

describe('moveCalls', () => {
  it('moves silent calls immediately, and others when they are silent and their tools have returned', async () => {
    const { clock, moved, state, change } = move({ talks: 'conversation', runs: 'tool', waits: 'none' });
    await clock.advance(CHECK_MS);
    expect(moved).toEqual(['waits']);
    change('runs', { activity: 'conversation' });
    await clock.advance(CHECK_MS);
    expect(moved).toEqual(['waits']);
    change('runs', { activity: 'none' });
    await clock.advance(CHECK_MS);
    expect(moved).toEqual(['waits', 'runs']);
    change('talks', { activity: 'none' });
    await clock.advance(CHECK_MS);
    expect(moved).toEqual(['waits', 'runs', 'talks']);
    expect(state.isDone).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('moves an active call when a second for each is left, those with running tools last', async () => {
    const { clock, moved } = move({ runs: 'tool', talks: 'conversation', talksToo: 'conversation' });
    await clock.advance(WITHIN_MS - 3000 - CHECK_MS);
    expect(moved).toEqual([]);
    await clock.advance(CHECK_MS);
    expect(moved).toEqual(['talks']);
    await clock.advance(1000);
    expect(moved).toEqual(['talks', 'talksToo']);
    await clock.advance(1000);
    expect(moved).toEqual(['talks', 'talksToo', 'runs']);
  });

  it('skips calls that end in the meantime or are not stored, and stops when it is aborted', async () => {
    const ending = move({ talks: 'conversation', runs: 'tool' });
    await ending.clock.advance(CHECK_MS);
    ending.change('talks', { isLive: false });
    ending.change('runs', { isLive: false });
    await ending.clock.advance(CHECK_MS);
    expect(ending.moved).toEqual([]);
    expect(ending.state.isDone).toBe(true);

    const unstored = move({ waits: 'none' }, { isStored: false });
    await unstored.clock.advance(0);
    expect(unstored.moved).toEqual([]);
    expect(unstored.state.isDone).toBe(true);

    const stopped = move({ talks: 'conversation' });
    await stopped.clock.advance(CHECK_MS);
    stopped.stop.abort();
    await stopped.clock.advance(0);
    expect(stopped.state.isDone).toBe(true);
    expect(stopped.clock.pendingTimers).toBe(0);
  });
});
