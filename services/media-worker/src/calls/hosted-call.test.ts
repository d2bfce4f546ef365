import { describe, expect, it } from '@jest/globals';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { SuspendedCall } from '@calls/conversation/session/call-outcome';
import type { ConversationServices } from '@calls/conversation/session/services';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { executeCommand } from './execute-command.ts';
import type { CallRelease } from './call-phase.ts';
import { HostedCall } from './hosted-call.ts';

const JOIN_TIMEOUT_MS = 30_000;

const RECONNECT_GRACE_MS = 10_000;

function hold(
  overrides: Partial<CallSpec> = {},
  services: Partial<ConversationServices> = {},
  resumeFrom: SuspendedCall | null = null,
) {
  const clock = new VirtualClock();
  const spec = callSpec({ createdAtMs: clock.wallMs(), joinTimeoutMs: JOIN_TIMEOUT_MS, ...overrides });
  const published: { body: CallLogEntryBody; wallClockMs: number | undefined }[] = [];
  const call = new HostedCall({
    spec,
    lease: { callId: spec.callId, workerId: 'w1', epoch: 1 },
    services: scriptedServices(clock, { reconnectGraceMs: RECONNECT_GRACE_MS, ...services }),
    events: { write: (body, wallClockMs) => void published.push({ body, wallClockMs }) },
    resumeFrom,
    log: silentLogger,
  });
  const releases: CallRelease[] = [];
  void call.released.then((release) => releases.push(release));
  return {
    clock,
    call,
    published,
    releases,
    get endings() {
      return releases.map((release) => (release.kind === 'ended' ? release.reason : release.kind));
    },
    /** The events at the start and the end of a call. */
    get milestones() {
      return published.map(({ body }) => body).filter(({ type }) => type === 'joined' || type === 'ended');
    },
    async joined(): Promise<LoopbackTransport> {
      const transport = new LoopbackTransport(clock);
      expect(call.join(transport, null)).toBe(true);
      await clock.advance(500);
      return transport;
    },
  };
}

describe('HostedCall', () => {
  it('ends with `unjoined` when no client joins within joinTimeout of its creation', async () => {
    // The call was queued for ten seconds.
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

  it('ends and frees its slot when its session fails to start', async () => {
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

  it('reports the usage and join time of the earlier conversation when it cannot resume it', async () => {
    const { snapshot } = suspendedCall();
    const usage = { inputTokens: 30, outputTokens: 7 };
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
      { kind: 'suspended', lostAtMs: 1000, isHandedOver: false, snapshot: { ...snapshot, usage } },
    );
    const transport = new LoopbackTransport(held.clock);
    expect(held.call.join(transport, null)).toBe(true);
    await held.clock.advance(0);
    expect(held.milestones).toMatchObject([
      { type: 'ended', endReason: 'system_error', joinedAtMs: snapshot.joinedAtMs, ...usage },
    ]);
    expect(transport.closedWith).toBe('system_error');
    expect(held.clock.pendingTimers).toBe(0);
  });

  it('accepts one client only', async () => {
    const held = hold();
    const { clock, call } = held;
    const [first, second] = [new LoopbackTransport(clock), new LoopbackTransport(clock)];
    expect(call.isJoined).toBe(false);
    expect(call.join(first, 'web 1.2')).toBe(true);
    expect(call.isJoined).toBe(true);
    expect(call.join(second, null)).toBe(false);
    call.checkClient();
    expect([first.probes, second.probes]).toEqual([1, 0]);
    await clock.advance(JOIN_TIMEOUT_MS);
    // The join timer is cancelled, and the second client received nothing.
    expect(held.endings).toEqual([]);
    expect(second.messages).toEqual([]);
    first.hangUp();
    await clock.advance(100);
  });

  it('ends once, with the end reason of its session and its join time', async () => {
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

  it('ends on request with the given reason, or with `unjoined` when no client has joined', async () => {
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

  it('accepts commands while a client is connected', async () => {
    const held = hold();
    const { clock, call } = held;
    const say = { kind: 'send_message', message: { type: 'user_text_message', text: 'Room 12' } } as const;
    const forced = { type: 'forced_agent_message', content: 'The doctor is in.' } as const;
    const force = { kind: 'send_message', message: forced } as const;
    const hangUp = { kind: 'send_message', message: { type: 'hang_up' } } as const;
    expect(executeCommand(say, call)).toEqual({ outcome: 'not_joined' });
    const transport = new LoopbackTransport(clock);
    call.join(transport, null);
    expect(executeCommand(say, call)).toEqual({ outcome: 'accepted' });
    await clock.advance(100);
    expect(transport.messages.map(({ what }) => what)).toContainEqual(
      expect.objectContaining({ type: 'transcript', role: 'user', text: 'Room 12' }),
    );
    expect(executeCommand(force, call)).toEqual({ outcome: 'accepted' });
    expect(executeCommand(hangUp, call)).toEqual({ outcome: 'accepted' });
    await clock.advance(100);
    expect(held.endings).toEqual(['agent_hangup']);
    expect(executeCommand(say, call)).toEqual({ outcome: 'not_joined' });
  });

  it('ends when hang_up arrives before its client, for example while the phone rings', async () => {
    const ringing = hold();
    const hangUp = { kind: 'send_message', message: { type: 'hang_up' } } as const;
    expect(executeCommand(hangUp, ringing.call)).toEqual({ outcome: 'accepted' });
    await ringing.clock.advance(0);
    expect(ringing.endings).toEqual(['unjoined']);
    expect(executeCommand(hangUp, ringing.call)).toEqual({ outcome: 'not_joined' });
  });

  it('ends on the command `end`, also before a client joins', async () => {
    const unjoined = hold();
    expect(executeCommand({ kind: 'end' }, unjoined.call)).toEqual({ outcome: 'accepted' });
    await unjoined.clock.advance(0);
    expect(unjoined.endings).toEqual(['unjoined']);

    const joined = hold();
    joined.call.join(new LoopbackTransport(joined.clock), null);
    executeCommand({ kind: 'end' }, joined.call);
    await joined.clock.advance(100);
    expect(joined.endings).toEqual(['agent_hangup']);
  });

  it('ends with an error event when the phone is not answered, or cannot be dialled unless a client has joined', async () => {
    const detail = 'The phone was busy.';
    const unjoined = hold();
    expect(executeCommand({ kind: 'not_reached', detail }, unjoined.call)).toEqual({ outcome: 'accepted' });
    unjoined.call.notReached(detail);
    await unjoined.clock.advance(JOIN_TIMEOUT_MS);
    expect(unjoined.endings).toEqual(['unjoined']);
    expect(unjoined.published.map(({ body }) => body)).toMatchObject([
      { type: 'noted', severity: 'error', eventType: 'not_reached', text: detail },
      { type: 'ended', endReason: 'unjoined', joinedAtMs: null },
    ]);
    expect(unjoined.clock.pendingTimers).toBe(0);

    const held = hold();
    const transport = await held.joined();
    held.call.notReached(detail);
    transport.hangUp('lost');
    await held.clock.advance(100);
    held.call.notReached(detail);
    await held.joined();
    expect(held.releases).toEqual([]);
    held.call.handOver();
    await held.clock.advance(100);
    const before = held.published.length;
    held.call.notReached(detail);
    expect(held.published).toHaveLength(before);
  });

  it('ends with `hangup` immediately when the provider reports the end of a phone call that was joined', async () => {
    for (const isLost of [true, false]) {
      const held = hold();
      const transport = await held.joined();
      if (isLost) transport.hangUp('lost');
      await held.clock.advance(100);
      const report = { kind: 'not_reached', detail: 'The phone call ended.' } as const;
      expect(executeCommand(report, held.call)).toEqual({ outcome: 'accepted' });
      await held.clock.advance(100);
      expect(executeCommand(report, held.call)).toEqual({ outcome: 'accepted' });
      expect(held.endings).toEqual(['hangup']);
      expect(held.milestones).toMatchObject([{ type: 'joined' }, { type: 'ended', endReason: 'hangup' }]);
      expect(held.clock.pendingTimers).toBe(0);
    }
  });

  it('reports the transfer target when it ends', async () => {
    const target = { type: 'string', description: 'target' };
    const parameter = { name: 'target', location: 'PARAMETER_LOCATION_BODY', schema: target } as const;
    const held = hold({
      medium: { kind: 'telephony3', dials: false, dtmf: null },
      firstStage: stageSpec({
        tools: [
          {
            name: 'transfer',
            builtIn: 'coldTransfer',
            definition: { dynamicParameters: [{ ...parameter, required: true }] },
            auth: { headers: {}, queryParams: {} },
          },
        ],
      }),
    });
    await held.joined();
    const toolCalls = [{ name: 'transfer', arguments: { target: '+4930123456' } }];
    const message = { type: 'forced_agent_message', content: 'I put you through.', toolCalls } as const;
    executeCommand({ kind: 'send_message', message: { ...message, toolCalls } }, held.call);
    await held.clock.advance(5000);
    expect(held.milestones.at(-1)).toMatchObject({
      type: 'ended',
      endReason: 'agent_hangup',
      transferTo: '+4930123456',
    });
  });

  it('waits for a disconnected client, and continues when it reconnects', async () => {
    const held = hold();
    const { clock, call } = held;
    const first = await held.joined();
    expect(executeCommand({ kind: 'status' }, call)).toEqual({ outcome: 'accepted' });
    first.hangUp('lost');
    await clock.advance(100);
    expect([call.isJoined, call.isLive]).toEqual([false, true]);
    expect(executeCommand({ kind: 'status' }, call)).toEqual({ outcome: 'not_joined' });
    await clock.advance(RECONNECT_GRACE_MS - 200);
    const second = await held.joined();
    expect(second.messages.map(({ what }) => what.type)).toContain('call_started');
    await clock.advance(2 * RECONNECT_GRACE_MS);
    expect(held.endings).toEqual([]);
    second.hangUp();
    await clock.advance(100);
    expect(held.endings).toEqual(['hangup']);
    expect(held.milestones.map(({ type }) => type)).toEqual(['joined', 'ended']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends as of the disconnection when the client does not reconnect, or when the API ends it in the meantime', async () => {
    const held = hold();
    (await held.joined()).hangUp('lost');
    const lostAtMs = held.clock.wallMs();
    await held.clock.advance(RECONNECT_GRACE_MS + 100);
    expect(held.endings).toEqual(['connection_error']);
    expect(held.published.at(-1)?.wallClockMs).toBe(lostAtMs);
    expect(held.call.join(new LoopbackTransport(held.clock), null)).toBe(false);

    const other = hold();
    (await other.joined()).hangUp('lost');
    await other.clock.advance(100);
    expect(
      executeCommand({ kind: 'send_message', message: { type: 'user_text_message', text: 'x' } }, other.call),
    ).toEqual({
      outcome: 'not_joined',
    });
    executeCommand({ kind: 'end' }, other.call);
    await other.clock.advance(100);
    expect(other.endings).toEqual(['agent_hangup']);
    expect(other.clock.pendingTimers + held.clock.pendingTimers).toBe(0);

    const hungUp = hold();
    (await hungUp.joined()).hangUp('lost');
    await hungUp.clock.advance(100);
    const message = { type: 'hang_up', message: 'Bye' } as const;
    expect(executeCommand({ kind: 'send_message', message }, hungUp.call)).toEqual({ outcome: 'accepted' });
    await hungUp.clock.advance(100);
    expect(hungUp.endings).toEqual(['agent_hangup']);
  });

  it('waits for a client that sets up its media at the deadline of its join or reconnection', async () => {
    const held = hold();
    const setUp = Promise.withResolvers<null>();
    held.call.waitWhile(setUp.promise);
    await held.clock.advance(JOIN_TIMEOUT_MS + 1000);
    const transport = await held.joined();
    setUp.resolve(null);
    transport.hangUp('lost');
    await held.clock.advance(RECONNECT_GRACE_MS - 100);
    const again = Promise.withResolvers<null>();
    held.call.waitWhile(again.promise);
    await held.clock.advance(1000);
    expect(held.endings).toEqual([]);
    again.resolve(null);
    await held.clock.advance(0);
    expect(held.endings).toEqual(['connection_error']);
    expect(held.clock.pendingTimers).toBe(0);
  });

  it('does not wait for such a client beyond `maxDuration`', async () => {
    const held = hold({ maxDurationMs: RECONNECT_GRACE_MS + 2000 });
    (await held.joined()).hangUp('lost');
    await held.clock.advance(0);
    held.call.waitWhile(new Promise(() => undefined));
    await held.clock.advance(RECONNECT_GRACE_MS + 1400);
    expect(held.endings).toEqual([]);
    await held.clock.advance(200);
    expect(held.endings).toEqual(['connection_error']);
  });

  it.each([3_600_000, -3_600_000])(
    'lasts as long when the machine clock changes by %d ms before its client is lost',
    async (stepMs) => {
      const held = hold({ maxDurationMs: 60_000 });
      const joinedAtMs = held.clock.wallMs();
      const first = await held.joined();
      held.clock.setWallClock(stepMs);
      first.hangUp('lost');
      await held.clock.advance(5000);
      const second = await held.joined();
      second.hangUp();
      await held.clock.advance(100);
      expect(held.endings).toEqual(['hangup']);
      expect(held.milestones.at(-1)).toMatchObject({ joinedAtMs });
      expect(held.published.at(-1)?.wallClockMs).toBe(joinedAtMs + 6000);
    },
  );

  it('ends with `timeout`, as of the disconnection, when `maxDuration` passes before the client reconnects', async () => {
    const held = hold({ maxDurationMs: 4000 });
    (await held.joined()).hangUp('lost');
    const lostAtMs = held.clock.wallMs();
    await held.clock.advance(3499);
    expect(held.endings).toEqual([]);
    await held.clock.advance(100);
    expect(held.endings).toEqual(['timeout']);
    expect(held.published.at(-1)?.wallClockMs).toBe(lostAtMs);
    expect(held.call.join(new LoopbackTransport(held.clock), null)).toBe(false);
    expect(held.clock.pendingTimers).toBe(0);
  });

  it('ends with `system_error` after a failover when the client does not reconnect', async () => {
    const session = suspendedCall();
    const held = hold({}, {}, session);
    expect([held.call.isJoined, held.call.isLive]).toEqual([false, true]);
    await held.clock.advance(RECONNECT_GRACE_MS);
    expect(held.endings).toEqual(['system_error']);
    expect(held.milestones).toMatchObject([{ type: 'ended', joinedAtMs: session.snapshot.joinedAtMs }]);
  });

  it('is handed over before its client joins, while the client is connected and while it is disconnected', async () => {
    const unjoined = hold();
    unjoined.call.handOver();
    const away = hold();
    (await away.joined()).hangUp('lost');
    await away.clock.advance(100);
    away.call.handOver();
    const there = hold();
    const transport = await there.joined();
    there.call.handOver();
    for (const held of [unjoined, away, there]) {
      await held.clock.advance(100);
      expect(held.releases).toEqual([{ kind: 'handed_over' }]);
      expect(held.published.map(({ body }) => body.type)).not.toContain('ended');
      expect(held.clock.pendingTimers).toBe(0);
    }
    expect(there.published.at(-1)).toMatchObject({ body: { type: 'noted', eventType: 'handed_over' } });
    expect(transport.closedWith).toBeNull();
    for (const { call } of [unjoined, away, there]) await call.disconnect();
    expect(transport.closedWith).toBe('service_restart');
  });

  it('rejects messages during a handover, and ends when the API ends it in the meantime', async () => {
    const text = { type: 'user_text_message', text: 'x' } as const;
    const hangUp = { type: 'hang_up' } as const;
    for (const command of [{ kind: 'end' }, { kind: 'send_message', message: hangUp }] as const) {
      const held = hold();
      const transport = await held.joined();
      held.call.handOver();
      expect(executeCommand({ kind: 'send_message', message: text }, held.call)).toEqual({
        outcome: 'not_joined',
      });
      expect(executeCommand(command, held.call)).toEqual({ outcome: 'accepted' });
      await held.clock.advance(100);
      expect(held.endings).toEqual(['agent_hangup']);
      expect(held.milestones.map(({ type }) => type)).toEqual(['joined', 'ended']);
      expect(transport.closedWith).toBe('agent_hangup');
      expect(held.clock.pendingTimers).toBe(0);
    }
  });

  it('writes no more events when another worker owns it', async () => {
    const held = hold();
    const transport = await held.joined();
    const before = held.published.length;
    held.call.abandon();
    held.call.abandon();
    held.call.end('system_error');
    await held.clock.advance(JOIN_TIMEOUT_MS);
    expect(held.releases).toEqual([{ kind: 'fenced' }]);
    expect(held.published).toHaveLength(before);
    expect(transport.closedWith).not.toBeNull();
    expect(held.clock.pendingTimers).toBe(0);
  });
});

/** A call as read from its log, joined when its clock starts. */
function suspendedCall(): SuspendedCall {
  const spec = callSpec();
  return {
    kind: 'suspended',
    lostAtMs: 1000,
    isHandedOver: false,
    snapshot: {
      cutOff: null,
      stage: spec.firstStage,
      state: {},
      messages: [],
      nextIndex: 0,
      nextOrdinal: 0,
      inMenu: false,
      answer: null,
      shown: [],
      outputMedium: 'voice',
      usage: { inputTokens: 0, outputTokens: 0 },
      joinedAtMs: new VirtualClock().wallMs(),
    },
  };
}
