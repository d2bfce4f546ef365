import { describe, expect, it } from '@jest/globals';
import { durationToMs } from '@calls/api-contract/duration';
import { replayTrace } from '@calls/conversation/replay/replay-trace';
import { parseTrace } from '@calls/conversation/replay/trace';
import { CallSession } from '@calls/conversation/session/call-session';
import { finishSuspended } from '@calls/conversation/session/call-outcome';
import { silentLogger } from '@calls/foundation/logger';
import { callSpec } from '@calls/testkit/call-spec';
import { ScriptedTraces } from '@calls/testkit/scripted/traces';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { finish, reconnect } from '../support/reconnect.ts';
import { expectNothingLeft, resumeCall, startCall } from '../support/scripted-call.ts';

const LONG = 'One two three four five six seven eight nine ten eleven twelve.';

describe('a stopped session', () => {
  it('closes the connection with service_restart when its worker drains', async () => {
    const call = startCall({ stt: ['hello'], llm: [LONG] });
    await call.saySomething(1500);
    call.session.suspend();
    call.session.suspend();
    call.session.end('system_error');
    call.session.receive({ type: 'set_output_medium', medium: 'text' });
    await call.clock.advance(100);
    expect(call.transport.closedWith).toBe('service_restart');
    expect(call.suspended?.snapshot.outputMedium).toBe('voice');
    expect(call.events.filter(({ type }) => type === 'output_medium_set')).toEqual([]);
    expectNothingLeft(call);
  });

  it('keeps the connection open for a handover and ignores further input', async () => {
    const call = startCall({ stt: ['hello'], llm: [LONG] });
    await call.saySomething(1500);
    call.session.suspend({ leavesOpen: true });
    await call.clock.advance(100);
    expect(call.suspended).not.toBeNull();
    const before = call.events.length;
    await call.transport.silence(call.clock, 500);
    call.transport.hangUp('lost');
    await call.clock.advance(5000);
    expect([call.transport.closedWith, call.events.length]).toEqual([null, before]);
    expectNothingLeft(call);
  });

  it('clears the playback buffer and publishes no more events when abandoned', async () => {
    const traces = new ScriptedTraces();
    const call = startCall({
      stt: ['hello'],
      llm: [LONG],
      spec: { recordingEnabled: true },
      services: { traces },
    });
    await call.saySomething(1500);
    const [before, said] = [call.events.length, call.transport.messages.length];
    call.session.abandon();
    await call.clock.advance(10_000);
    expect([call.events.length, call.transport.messages.length]).toEqual([before, said + 1]);
    expect(call.transport.messages.at(-1)?.what).toEqual({ type: 'playback_clear_buffer' });
    expect(call.transport.closedWith).toBe('service_restart');
    // The recording and the trace are left open for the session that continues them.
    expect([call.recording?.left, call.recording?.closed, traces.ends]).toEqual([true, false, ['left']]);
    expect(call.recording?.durationMs).toBeLessThan(call.clock.nowMs() - 10_000);
    expectNothingLeft(call);
  });

  it.each([
    ['ends', 'call_ended', ({ session }: ReturnType<typeof startCall>) => void session.end('hangup')],
    ['loses its client', 'interrupted', ({ session }: ReturnType<typeof startCall>) => session.suspend()],
    [
      'moves to another worker',
      'interrupted',
      ({ session }: ReturnType<typeof startCall>) => session.abandon(),
    ],
  ])('lets its data connection know why it closes when the call %s', async (_, why, stop) => {
    const closings: string[] = [];
    const dataConnections = {
      open: () => ({
        send: () => undefined,
        writeAudio: null,
        close: (how: string) => Promise.resolve(void closings.push(how)),
      }),
    };
    const dataConnection = { url: 'wss://owner.test', headers: {}, dataMessages: {}, audio: null };
    const call = startCall({ spec: { dataConnection }, services: { dataConnections } });
    await call.clock.advance(1000);
    stop(call);
    await call.clock.advance(10_000);
    expect(closings).toEqual([why]);
    expectNothingLeft(call);
  });

  it('releases its resources when it fails to start', () => {
    let open = 0;
    const dataConnections = {
      open: () => {
        open += 1;
        return {
          send: () => undefined,
          writeAudio: () => undefined,
          close: () => {
            open -= 1;
            return Promise.resolve();
          },
        };
      },
    };
    const voiceActivity = {
      createDetector: () => {
        throw new Error('no detector today');
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const clock = new VirtualClock();
    const dataConnection = { url: 'wss://owner.test', headers: {}, dataMessages: {}, audio: null };
    const begin = (): unknown =>
      new CallSession({
        spec: callSpec({ dataConnection, recordingEnabled: true }),
        transport: new LoopbackTransport(clock),
        services: scriptedServices(clock, { dataConnections, voiceActivity }),
        log: silentLogger,
        emit: () => undefined,
        resume: null,
      });
    expect(begin).toThrow('no detector today');
    expect([open, clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('the timestamps of a call', () => {
  it.each([3_600_000, -3_600_000])('do not jump when the system clock changes by %d ms', async (stepMs) => {
    const call = startCall({ stt: ['hello', 'again'], llm: ['Good day.', 'Yes.'] });
    const joinedAtMs = call.clock.wallMs();
    await call.saySomething(2000);
    call.clock.setWallClock(stepMs);
    await call.saySomething(2000);
    const durationMs = call.clock.nowMs();
    await call.hangUp();
    expect(call.outcome).toMatchObject({ endedAtMs: joinedAtMs + durationMs });
    const spoken = call.events.flatMap((body) => (body.type === 'message_added' ? [body.message] : []));
    expect(spoken).toHaveLength(4);
    for (const { timespan, wallClockTimespan } of spoken)
      expect(durationToMs(wallClockTimespan?.end ?? '')).toBe(joinedAtMs + durationToMs(timespan?.end ?? ''));
  });
});

describe('the stored data of a call with several sessions', () => {
  it('is one recording on the clock of the call, silent between sessions', async () => {
    const call = startCall({
      stt: ['hello', 'again'],
      llm: ['Good day.', 'Yes.'],
      spec: { recordingEnabled: true },
    });
    await call.saySomething(2000);
    const lostAtMs = call.clock.nowMs();
    await call.loseConnection();
    expect(call.recording?.left).toBe(true);
    await call.clock.advance(7900);
    const backAtMs = call.clock.nowMs();
    const again = resumeCall(call);
    await again.transport.silence(call.clock, 3000);
    const speaksAtMs = call.clock.nowMs();
    await again.saySomething();
    const endMs = call.clock.nowMs();
    await again.hangUp();
    expect(again.outcome?.recording).toMatchObject({ durationMs: endMs });
    const isLoud = (track: Int16Array | undefined, fromMs: number, toMs: number): boolean =>
      track?.subarray(fromMs * 16, toMs * 16).some((sample) => Math.abs(sample) > 100) ?? false;
    const { user, agent } = again.recording ?? {};
    expect(isLoud(user, 0, 1000)).toBe(true);
    expect([isLoud(user, lostAtMs, backAtMs), isLoud(agent, lostAtMs, backAtMs)]).toEqual([false, false]);
    expect(isLoud(agent, backAtMs, backAtMs + 1000)).toBe(true);
    expect([isLoud(user, backAtMs, speaksAtMs - 20), isLoud(user, speaksAtMs, speaksAtMs + 900)]).toEqual([
      false,
      true,
    ]);
  });

  it('is stored when the client does not reconnect', async () => {
    const traces = new ScriptedTraces();
    const call = startCall({
      stt: ['hello'],
      llm: ['Good day.'],
      spec: { recordingEnabled: true },
      services: { traces },
    });
    await call.saySomething(2000);
    await call.loseConnection();
    const { snapshot, lostAtMs } = call.suspended ?? {};
    if (!snapshot || lostAtMs === undefined) throw new Error('the call is suspended');
    const { spec, services } = call;
    expect(
      await finishSuspended({ spec, snapshot, services, reason: 'connection_error', endedAtMs: lostAtMs }),
    ).toMatchObject({
      kind: 'ended',
      reason: 'connection_error',
      endedAtMs: lostAtMs,
      inputTokens: 10,
      outputTokens: 5,
      recording: { durationMs: 3500 },
    });
    expect(traces.ends).toEqual(['left', 'finished']);
  });

  it('is one replayable trace', async () => {
    const traces = new ScriptedTraces();
    const call = startCall({ stt: ['hello', 'again'], llm: [LONG, 'Yes.'], services: { traces } });
    await call.saySomething(1500);
    const again = await reconnect(call);
    await again.saySomething();
    await finish(call, again);
    expect(traces.ends).toEqual(['left', 'closed']);
    const steps = replayTrace(parseTrace(traces.textByCall.get(call.spec.callId) ?? ''));
    expect(steps.filter(({ isSame }) => !isSame)).toEqual([]);
    expect(steps.filter(({ initial }) => initial)).toHaveLength(1);
    expect(steps.filter(({ event }) => event.type === 'opened')).toHaveLength(2);
  });

  it('is empty for zdr retention', async () => {
    const traces = new ScriptedTraces();
    const call = startCall({
      stt: ['hello', 'again'],
      llm: ['Good day.', 'Yes.'],
      spec: { retention: 'zdr' },
      services: { traces },
    });
    await call.saySomething(2000);
    const again = await reconnect(call);
    await again.saySomething();
    await again.transport.silence(call.clock, 2000);
    expect(call.llm.requests.at(-1)?.messages.map(({ content }) => content)).toContain('hello');
    expect(call.messages.at(-1)).toBe('AGENT: Yes.');
    await finish(call, again);
    expect(traces.textByCall.size).toBe(0);
  });
});
