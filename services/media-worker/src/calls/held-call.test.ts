import { describe, expect, it } from '@jest/globals';
import type { CallEventBody, CallSpec } from '@calls/api-contract';
import type { ConversationServices } from '@calls/conversation';
import { silentLogger } from '@calls/foundation';
import { callSpec, LoopbackTransport, scriptedServices, VirtualClock } from '@calls/testkit';
import { CallEventWriter } from '../events/call-event-writer.ts';
import { HeldCall } from './held-call.ts';

const JOIN_TIMEOUT_MS = 30_000;

function hold(overrides: Partial<CallSpec> = {}, services: Partial<ConversationServices> = {}) {
  const clock = new VirtualClock();
  const spec = callSpec({ createdAtMs: clock.wallMs(), joinTimeoutMs: JOIN_TIMEOUT_MS, ...overrides });
  const published: CallEventBody[] = [];
  const events = new CallEventWriter({
    call: spec,
    epoch: 1,
    after: null,
    bus: {
      publishCallEvent: (event) => Promise.resolve(published.push(event.body)),
      lastCallEvent: () => Promise.resolve(null),
    },
    clock,
    log: silentLogger,
    onFenced: () => undefined,
  });
  const lease = { callId: spec.callId, workerId: 'w1', epoch: 1 };
  const call = new HeldCall({
    spec,
    lease,
    services: scriptedServices(clock, services),
    events,
    log: silentLogger,
  });
  const endings: string[] = [];
  void call.ended.then((reason) => endings.push(reason));
  return {
    clock,
    call,
    endings,
    /** The events that begin and end a call. */
    get milestones() {
      return published.filter(({ type }) => type === 'joined' || type === 'ended');
    },
  };
}

describe('HeldCall', () => {
  it('ends unjoined when nobody joined within joinTimeout of its creation', async () => {
    // It lay in the queue for ten seconds.
    const clock = new VirtualClock();
    const held = hold({ createdAtMs: clock.wallMs() - 10_000 });
    await held.clock.advance(JOIN_TIMEOUT_MS - 10_001);
    expect(held.endings).toEqual([]);
    await held.clock.advance(1);
    expect(held.endings).toEqual(['unjoined']);
    expect(held.milestones).toMatchObject([{ type: 'ended', endReason: 'unjoined', joinedAtMs: null }]);
    expect(held.call.join(new LoopbackTransport(held.clock), null)).toBe(false);
    expect(held.clock.pendingTimers).toBe(0);
  });

  it('ends where its session can not begin, and leaves its slot', async () => {
    const held = hold(
      {},
      {
        voiceActivity: {
          createDetector: () => {
            throw new Error('no detector today');
          },
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
    );
    const transport = new LoopbackTransport(held.clock);
    expect(held.call.join(transport, null)).toBe(true);
    await held.clock.advance(0);
    expect(held.endings).toEqual(['system_error']);
    expect(held.milestones).toMatchObject([{ type: 'joined' }, { type: 'ended', endReason: 'system_error' }]);
    expect(transport.closedWith).toBe('system_error');
    expect(held.clock.pendingTimers).toBe(0);
  });

  it('is joined by one client only', async () => {
    const { clock, call, endings } = hold();
    const [first, second] = [new LoopbackTransport(clock), new LoopbackTransport(clock)];
    expect(call.isJoined).toBe(false);
    expect(call.join(first, 'web 1.2')).toBe(true);
    expect(call.isJoined).toBe(true);
    expect(call.join(second, null)).toBe(false);
    await clock.advance(JOIN_TIMEOUT_MS);
    // The join timer is off, and the second client was left alone.
    expect(endings).toEqual([]);
    expect(second.messages).toEqual([]);
    first.hangUp();
    await clock.advance(100);
  });

  it('ends once, with the reason of its session and the time it was joined', async () => {
    const held = hold();
    const { clock, call } = held;
    await clock.advance(1000);
    const joinedAtMs = clock.wallMs();
    const transport = new LoopbackTransport(clock);
    call.join(transport, 'web 1.2');
    await clock.advance(500);
    transport.hangUp();
    await clock.advance(100);
    call.end('system_error');
    await clock.advance(JOIN_TIMEOUT_MS);
    expect(held.endings).toEqual(['hangup']);
    expect(held.milestones).toMatchObject([
      { type: 'joined', clientVersion: 'web 1.2', workerId: 'w1' },
      { type: 'ended', endReason: 'hangup', joinedAtMs },
    ]);
    expect(call.isJoined).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends from outside: a joined call for the reason given, one that nobody joined as unjoined', async () => {
    const unjoined = hold();
    unjoined.call.end('system_error');
    unjoined.call.end('system_error');
    await unjoined.clock.advance(JOIN_TIMEOUT_MS);
    expect(unjoined.endings).toEqual(['unjoined']);
    expect(unjoined.milestones).toHaveLength(1);

    const joined = hold();
    const transport = new LoopbackTransport(joined.clock);
    joined.call.join(transport, null);
    await joined.clock.advance(500);
    joined.call.end('system_error');
    await joined.clock.advance(100);
    expect(joined.endings).toEqual(['system_error']);
    expect(transport.closedWith).toBe('system_error');
    expect(joined.milestones).toHaveLength(2);
  });

  it('takes commands while somebody is there to hear them', async () => {
    const held = hold();
    const { clock, call } = held;
    const say = { kind: 'send_message', message: { type: 'user_text_message', text: 'Room 12' } } as const;
    const forced = { type: 'forced_agent_message', content: 'The doctor is in.' } as const;
    const force = { kind: 'send_message', message: forced } as const;
    const hangUp = { kind: 'send_message', message: { type: 'hang_up' } } as const;
    expect(call.command(say)).toEqual({ outcome: 'not_joined' });
    const transport = new LoopbackTransport(clock);
    call.join(transport, null);
    expect(call.command(say)).toEqual({ outcome: 'accepted' });
    await clock.advance(100);
    expect(transport.messages.map(({ what }) => what)).toContainEqual(
      expect.objectContaining({ type: 'transcript', role: 'user', text: 'Room 12' }),
    );
    expect(call.command(force)).toEqual({ outcome: 'accepted' });
    expect(call.command(hangUp)).toEqual({ outcome: 'accepted' });
    await clock.advance(100);
    expect(held.endings).toEqual(['agent_hangup']);
    expect(call.command(say)).toEqual({ outcome: 'not_joined' });
  });

  it('is ended by a command, also before its client came', async () => {
    const unjoined = hold();
    expect(unjoined.call.command({ kind: 'end' })).toEqual({ outcome: 'accepted' });
    await unjoined.clock.advance(0);
    expect(unjoined.endings).toEqual(['unjoined']);

    const joined = hold();
    joined.call.join(new LoopbackTransport(joined.clock), null);
    joined.call.command({ kind: 'end' });
    await joined.clock.advance(100);
    expect(joined.endings).toEqual(['agent_hangup']);
  });
});
